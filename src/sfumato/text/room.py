"""Texts as a kind of data: its ready studies, commands and examples."""

from __future__ import annotations

from collections.abc import Iterable

from sfumato.study.rooms import Recipe, Room
from sfumato.study.study import Study, sweep
from sfumato.text.pictures import gap_picture

__all__ = ["ROOM"]


def letters_study(
    epsilons: Iterable[float] = (5.0, 10.0, 20.0),
    authors: int = 8,
    letters: int = 24,
    length: int = 60,
    seeds: int = 3,
) -> Study:
    """Made-up letters by authors with habits of style; the vocabulary comes from other made-up letters."""
    from sfumato.text import (
        AuthorshipAttack,
        BagMechanism,
        LinkageAttack,
        Scrubber,
        SentimentUtility,
        SimilarityUtility,
        SynTF,
        TopicResponse,
        TopicUtility,
        VerificationAttack,
        WordExponential,
    )
    from sfumato.text.data.letters import make_letters_corpus, make_letters_pool, make_letters_vocabulary
    from sfumato.text.own_file import holdings

    vocabulary = make_letters_vocabulary()
    corpus = make_letters_corpus(authors=authors, letters=letters)
    levels = list(epsilons)
    return Study(
        name="letters",
        title="Made-up letters: keep the topic, lose the author",
        summary="Every author has favourite words and habits. SynTF releases a bag of synthetic words per letter, the "
        "others replace word by word; their ε is per word, and the promise column says what a whole letter loses. The "
        "topic response gives a public letter of the same topic, with ε for the whole letter.",
        data=corpus,
        mechanisms={
            "SynTF": sweep(SynTF, epsilon=levels, length=length, vocabulary=vocabulary),
            "word by word (exponential)": sweep(
                WordExponential, epsilon=[0.4 * e for e in levels], vocabulary=vocabulary
            ),
            "topic response": sweep(TopicResponse, epsilon=[1.0, 3.0, 5.0], pool=make_letters_pool()),
            "bag of words (Earth Mover's)": sweep(BagMechanism, epsilon=levels, vocabulary=vocabulary),
            "names and numbers masked": [Scrubber()],
        },
        attacks=[
            AuthorshipAttack(copies=4),
            AuthorshipAttack(name="authorship, 5 letters of one author", together=5, copies=2),
            AuthorshipAttack(name="authorship, 3 suspects", learns_from="releases", suspects=3),
            AuthorshipAttack(name="authorship (static)", learns_from="raw"),
            VerificationAttack(),
            LinkageAttack(),
        ],
        utilities=[TopicUtility(), SentimentUtility(), SimilarityUtility(vocabulary=vocabulary)],
        seeds=seeds,
        contains=holdings(corpus),
        records=len(corpus),
        pictures=[gap_picture],
    )


def newsgroups_study(
    scenario: str = "Top10/Any",
    epsilons: Iterable[float] = (35.0, 40.0, 47.5, 55.0),
    length: int = 150,
    words: int = 30_000,
    seeds: int = 2,
) -> Study:
    """20 Newsgroups, one of Top5/Any, Top10/Any, Top5/Multi and Top10/Multi; needs the public data set."""
    from sfumato.text import (
        AuthorshipAttack,
        CandidateExponential,
        LinkageAttack,
        RetrievalUtility,
        Scrubber,
        SynTF,
        TopicUtility,
        WordExponential,
        WordLaplace,
        load_glove,
    )
    from sfumato.text.data.newsgroups import load_newsgroups_corpus

    vocabulary, content = load_glove(words), load_glove(words, content=True)
    levels = list(epsilons)
    return Study(
        name="newsgroups-" + scenario.lower().replace("/", "-"),
        title=f"20 Newsgroups, {scenario}: keep the group, lose the author",
        summary="Posts of the most prolific authors, with the vocabulary of GloVe. The first attacker protects raw "
        "posts by the same method to learn from; the analyst learns from protected posts.",
        data=load_newsgroups_corpus(scenario),
        mechanisms={
            "SynTF": sweep(SynTF, epsilon=levels, length=length, vocabulary=content),
            "noise and nearest word": sweep(WordLaplace, epsilon=[5.0, 10.0, 20.0], vocabulary=vocabulary),
            "word by word (exponential)": sweep(WordExponential, epsilon=[3.0, 5.0, 8.0], vocabulary=vocabulary),
            "candidate sets": sweep(CandidateExponential, epsilon=[1.0, 4.0, 8.0], vocabulary=vocabulary),
            "names and numbers masked": [Scrubber()],
        },
        attacks=[
            AuthorshipAttack(metric="f1"),
            AuthorshipAttack(
                name="authorship (WritePrints)",
                learns_from="releases",
                learners=("svm",),
                features=("style", "content"),
                metric="f1",
            ),
            AuthorshipAttack(name="authorship (static)", learns_from="raw", metric="f1"),
            LinkageAttack(),
        ],
        utilities=[TopicUtility(metric="f1", learner="svm"), RetrievalUtility()],
        seeds=seeds,
        pictures=[gap_picture],
    )


def retrieval_study(
    epsilons: Iterable[float] = (1.0, 3.0, 5.0, 10.0),
    documents: int = 300,
    candidates: int = 2000,
    words: int = 5000,
    seeds: int = 2,
) -> Study:
    """Public posts in the place of protected ones, with ε per document and per sentence; needs the public data set."""
    from sfumato.text.mechanisms.retrieve.retrieval_study import study_of_retrieval

    return study_of_retrieval(list(epsilons), documents=documents, candidates=candidates, words=words, seeds=seeds)


def events_study(
    events: int = 700, distractors: int = 20_000, background: int = 1600, wider: bool = True, seeds: int = 1
) -> Study:
    """School accidents that newspapers wrote about, reports without names, and searchers (Mimoto §6.2, stand-in)."""
    from sfumato.text.sanitise.event_study import study_of_events

    return study_of_events(events=events, distractors=distractors, background=background, wider=wider, seeds=seeds)


def rewriting_study(
    epsilons: Iterable[float] = (1.0, 4.0, 10.0),
    authors: int = 10,
    letters: int = 24,
    public: int = 12,
    epochs: int = 6,
    hidden: int = 48,
    seeds: int = 2,
) -> Study:
    """Made-up letters written anew by networks that learn from letters by others; needs PyTorch."""
    from sfumato.text.mechanisms.rewriting_study import study_of_rewriting

    return study_of_rewriting(
        list(epsilons), authors=authors, letters=letters, public=public, epochs=epochs, hidden=hidden, seeds=seeds
    )


ROOM = Room(
    name="text",
    summary="Mails, reviews, documents and bags of words that keep their topic and lose their author.",
    recipes=(
        Recipe(name="letters", summary="Made-up letters by authors with habits", build=letters_study, demo=True),
        Recipe(name="newsgroups", summary="20 Newsgroups, Top5/Top10 authors (public data)", build=newsgroups_study),
        Recipe(
            name="retrieval",
            summary="20 Newsgroups, public posts in place of others (public data)",
            build=retrieval_study,
        ),
        Recipe(name="rewriting", summary="Made-up letters written anew by networks", build=rewriting_study),
        Recipe(name="events", summary="Made-up accidents, reports, newspapers and searchers", build=events_study),
    ),
    commands={verb: f"sfumato.text.commands:{verb}" for verb in ("protect", "attack", "measure")}
    | {verb: f"sfumato.text.scrub.commands:{verb}" for verb in ("scrub", "restore")}
    | {verb: f"sfumato.text.sanitise.commands:{verb}" for verb in ("sanitise", "index")}
    | {"train": "sfumato.text.mechanisms.rewrite.train_command:train"},
    examples="sfumato.text.examples",
    own="sfumato.text.own_file:own_study",
)
