"""Names of people by name lists and by where they stand: greetings, signatures, headers, titles.

Quick and without a model. A name that is in no list and stands nowhere telling is missed; see
:class:`~sfumato.text.recogniser_spacy.Cascade` for what to do about it.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from sfumato.errors import bad_input
from sfumato.text.recogniser import Span

__all__ = ["AMBIGUOUS", "COMMON_NAMES", "NOT_NAMES", "NameRecogniser", "nltk_names", "opens_sentence"]

COMMON_NAMES = frozenset(
    ["aaron", "abdul", "abigail", "ada", "adam", "adrian", "agnes", "ahmed", "aisha", "alan", "albert", "alejandro", "alex", "alexander", "alexandra", "alexis", "alfred", "ali", "alice", "alicia", "alina", "alison", "allison", "amanda", "amelia", "amir", "amy", "ana", "anastasia", "andrea", "andreas", "andrew", "angela", "anita", "anja", "ann", "anna", "anne", "annette", "anthony", "antonio", "arthur", "ashley", "astrid", "audrey", "barbara", "beatrice", "ben", "benjamin", "bernard", "bernd", "bert", "beth", "betty", "bianca", "bill", "birgit", "bob", "boris", "bradley", "brandon", "brenda", "brian", "bridget", "bruce", "bruno", "carla", "carlos", "carmen", "carol", "caroline", "catherine", "cecilia", "charles", "charlotte", "cheryl", "chloe", "chris", "christian", "christina", "christine", "christoph", "christopher", "cindy", "claire", "clara", "claudia", "colin", "connor", "craig", "cristina", "cynthia", "daniel", "daniela", "daniele", "danielle", "darren", "dave", "david", "deborah", "debra", "denise", "dennis", "derek", "diana", "diane", "dieter", "dmitri", "dominik", "donald", "donna", "dora", "doris", "dorothy", "douglas", "duncan", "dylan", "edgar", "edith", "eduardo", "edward", "eileen", "elaine", "elena", "eleanor", "elias", "elisabeth", "elizabeth", "ella", "ellen", "emil", "emily", "emma", "enrique", "eric", "erica", "erik", "ernest", "esther", "ethan", "eugene", "eva", "evelyn", "fabian", "fatima", "felix", "fernando", "fiona", "florence", "florian", "francesca", "francesco", "francis", "francisco", "frank", "franz", "frederic", "frederick", "friedrich", "fritz", "gabriel", "gabriela", "gareth", "gary", "geoffrey", "george", "georgia", "gerald", "gerard", "gerhard", "gina", "giorgio", "giovanni", "giulia", "gloria", "gordon", "graham", "greg", "gregory", "greta", "guido", "gustav", "hannah", "hans", "harold", "harry", "hassan", "heather", "heidi", "heinz", "helen", "helena", "helga", "henrik", "henry", "herbert", "hermann", "hilary", "howard", "hugh", "hugo", "ian", "ibrahim", "ines", "ingrid", "irene", "isabel", "isabella", "ivan", "jack", "jacob", "jacqueline", "jacques", "jake", "james", "jamie", "jan", "jana", "jane", "janet", "janice", "jason", "javier", "jean", "jeff", "jeffrey", "jennifer", "jens", "jeremy", "jerry", "jessica", "jill", "jim", "joachim", "joan", "joanna", "joe", "joel", "johan", "johann", "johanna", "john", "jonas", "jonathan", "jorge", "jose", "joseph", "josephine", "joshua", "juan", "judith", "judy", "julia", "julian", "julie", "juliette", "jürgen", "justin", "kai", "karen", "karin", "karl", "karla", "kate", "katharina", "katherine", "kathleen", "kathryn", "katie", "katja", "keith", "kelly", "ken", "kenneth", "kevin", "khalid", "kim", "klaus", "kristen", "kristin", "kyle", "lars", "laura", "lauren", "laurence", "lea", "leah", "lena", "leo", "leon", "leonard", "leonardo", "leslie", "liam", "lidia", "lilian", "lina", "linda", "lisa", "logan", "lorenzo", "louis", "louise", "luca", "lucas", "lucia", "lucy", "luis", "luisa", "luke", "lukas", "lydia", "lynn", "magdalena", "malcolm", "manfred", "manuel", "marc", "marco", "marcus", "margaret", "maria", "marianne", "marie", "marina", "mario", "marion", "marius", "marjorie", "mark", "marlene", "marta", "martha", "martin", "martina", "mary", "mason", "mateo", "matteo", "matthew", "matthias", "maureen", "maurice", "max", "maximilian", "megan", "mehmet", "melanie", "melissa", "mia", "michael", "michelle", "miguel", "mike", "miriam", "mohamed", "mohammad", "mohammed", "monica", "monika", "morgan", "muhammad", "murat", "mustafa", "nadia", "nancy", "natalia", "natalie", "natasha", "nathan", "neil", "nicholas", "nick", "nicola", "nicolas", "nicole", "niklas", "nils", "nina", "noah", "nora", "norbert", "norman", "olaf", "oleg", "olga", "oliver", "olivia", "omar", "oscar", "otto", "pablo", "pamela", "patricia", "patrick", "paul", "paula", "pauline", "pedro", "peggy", "penelope", "peter", "petra", "philip", "philipp", "phillip", "pierre", "rachel", "rafael", "rainer", "ralf", "ralph", "raymond", "rebecca", "regina", "rene", "renate", "ricardo", "richard", "rita", "robert", "roberto", "robin", "roger", "roland", "rolf", "ron", "ronald", "rosa", "rosemary", "roy", "ruben", "rudolf", "rupert", "russell", "ruth", "ryan", "sabine", "sabrina", "sally", "salvatore", "sam", "samantha", "samuel", "sandra", "sara", "sarah", "sascha", "scott", "sean", "sebastian", "sergei", "sergio", "sharon", "sheila", "shirley", "silke", "silvia", "simon", "simone", "sofia", "sonia", "sonja", "sophia", "sophie", "stefan", "stefanie", "stella", "stephanie", "stephen", "steve", "steven", "stuart", "susan", "susanne", "suzanne", "sven", "sylvia", "tanja", "tanya", "tara", "teresa", "terry", "theodor", "theresa", "thomas", "tim", "timothy", "tina", "tobias", "todd", "tom", "tony", "tracy", "ulrich", "ulrike", "ursula", "uwe", "valentina", "valerie", "vanessa", "vera", "veronica", "victor", "victoria", "vincent", "viola", "virginia", "vladimir", "walter", "wanda", "warren", "wendy", "werner", "wilhelm", "william", "winston", "wolfgang", "xavier", "yasmin", "yusuf", "yvonne", "zoe", "adams", "alvarez", "anderson", "bauer", "becker", "bennett", "brooks", "campbell", "carter", "castillo", "chen", "clark", "collins", "cooper", "davies", "davis", "diaz", "edwards", "evans", "fernandez", "fischer", "fisher", "fitzgerald", "flores", "foster", "garcia", "gomez", "gonzalez", "graham", "griffin", "gruber", "gupta", "gutierrez", "hall", "hamilton", "harris", "harrison", "hernandez", "hoffmann", "howard", "hughes", "jackson", "jenkins", "johnson", "jones", "keller", "kelly", "kennedy", "khan", "klein", "kovacs", "krause", "krüger", "kumar", "lehmann", "lewis", "lopez", "maier", "martinez", "mayer", "mcdonald", "meyer", "miller", "mitchell", "moore", "morales", "morris", "müller", "murphy", "murray", "nelson", "nguyen", "novak", "o'brien", "o'connor", "o'neill", "ortiz", "patel", "perez", "peters", "petersen", "phillips", "popescu", "powell", "ramirez", "reyes", "reynolds", "richards", "richardson", "rivera", "roberts", "robertson", "robinson", "rodriguez", "rogers", "ross", "rossi", "ruiz", "sanchez", "sanders", "schäfer", "schmidt", "schmitt", "schneider", "scholz", "schröder", "schulz", "schwarz", "sharma", "silva", "simmons", "singh", "smith", "sullivan", "suzuki", "tanaka", "taylor", "thompson", "torres", "tran", "turner", "wagner", "walker", "watson", "weber", "williams", "wilson", "winkler", "wong", "wright", "wu", "yamamoto", "yang", "zhang", "zimmermann"]
)
"""Some six hundred given names and two hundred family names that are common in Europe and the Americas."""

AMBIGUOUS = frozenset(
    ["amber", "angel", "april", "art", "august", "autumn", "baker", "bell", "berry", "bill", "black", "bloom", "brook", "brooks", "brown", "carpenter", "carter", "chase", "christian", "clay", "cliff", "cook", "cooper", "crystal", "daisy", "dawn", "day", "dean", "drew", "duke", "earl", "faith", "fisher", "foster", "frank", "gene", "ginger", "glen", "grace", "grant", "gray", "green", "guy", "hall", "hazel", "heath", "hill", "hope", "hunter", "iris", "ivy", "jack", "jasmine", "jewel", "joy", "jean", "june", "ken", "king", "lance", "lane", "lily", "long", "major", "mark", "mason", "max", "may", "melody", "miles", "miller", "miss", "nick", "norm", "olive", "pat", "patience", "penny", "pierce", "pop", "price", "prudence", "randy", "ray", "reed", "rich", "rob", "robin", "rock", "rose", "ruby", "rusty", "sandy", "shepherd", "sky", "skip", "smith", "star", "stone", "storm", "sue", "summer", "taylor", "terry", "turner", "violet", "wade", "walker", "ward", "will", "wood", "wright", "young", "so", "see", "early", "in", "ha", "do", "an", "lee", "mercy", "pearl", "rod", "sage", "sterling", "trip", "van"]
)
"""Names that are words as well: alone, they count as names only where a name must stand."""

NOT_NAMES = frozenset(
    ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december", "all", "team", "everyone", "everybody", "colleagues", "colleague", "sir", "madam", "sirs", "friends", "friend", "customer", "customers", "folks", "committee", "members", "member", "board", "staff", "students", "editor", "group", "there", "hi", "hello", "hey", "dear", "good", "morning", "afternoon", "evening", "thanks", "thank", "best", "kind", "regards", "sincerely", "yours", "cheers", "from", "to", "cc", "bcc", "subject", "sent", "date", "re", "fw", "fwd", "please", "hope", "attached", "see", "kindly", "note", "on", "in", "at", "the", "this", "that", "these", "those", "it", "we", "you", "he", "she", "they", "i", "if", "when", "where", "what", "who", "why", "how", "and", "but", "or", "so", "as", "for", "with", "by", "my", "our", "your", "his", "her", "its", "their", "an", "no", "not", "yes", "ok", "okay", "also", "after", "before", "since", "while", "until", "once", "here", "now", "today", "tomorrow", "yesterday", "let", "could", "would", "can", "shall", "should", "do", "does", "did", "have", "has", "had", "is", "are", "was", "were", "be", "been", "am", "get", "got", "just", "any", "some", "many", "much", "more", "most", "other", "another", "both", "each", "new", "old", "first", "last", "next", "one", "two", "three", "english", "german", "french", "spanish", "italian", "russian", "chinese", "american", "british", "european", "internet", "pc", "cd", "usa", "uk", "eu", "us", "pdf"]
)
"""Words that often stand with a capital and are no names."""

_ORGANISATION = frozenset(
    ["inc", "ltd", "llc", "gmbh", "ag", "corp", "corporation", "company", "co", "plc", "university", "college", "school", "institute", "bank", "hospital", "airport", "hotel", "street", "road", "avenue", "lane", "square", "station", "bridge", "park", "center", "centre", "foundation", "association", "group", "holdings", "partners", "partnership", "airlines", "press", "museum", "church", "library", "county", "island", "islands", "river", "lake", "mountain", "valley", "city", "award", "prize", "stadium", "theatre", "building", "tower", "hall", "house"]
)
_CAPITAL = r"[A-ZÀ-ÖØ-ÞĀ-Ž]"
_SMALL = r"[a-zß-öø-ÿā-ž]"
_NAME_WORD = rf"(?:{_CAPITAL}['’])?{_CAPITAL}{_SMALL}+(?:{_CAPITAL}{_SMALL}+)?(?:[-'’]{_CAPITAL}{_SMALL}+)*"
_RUN = re.compile(
    rf"(?<![\w@./'’\-]){_NAME_WORD}(?:[ ](?:{_CAPITAL}\.|(?:van|von|de|der|den|di|da|del|la|le|al|bin|ten|zu)|{_NAME_WORD})(?=[ ]|{_NAME_WORD}|\W|$))*(?![\w@])"
)
_WORD = re.compile(rf"{_NAME_WORD}|{_CAPITAL}\.|{_SMALL}+")
_NAME = rf"{_NAME_WORD}(?:[ ](?:{_CAPITAL}\.[ ])?{_NAME_WORD}){{0,2}}"
_GREETING = re.compile(
    rf"(?m)^[ \t>]*(?:Hi|Hello|Hey|Dear|Greetings|Good (?:morning|afternoon|evening)|Hallo|Liebe[rs]?|Bonjour|Hola|Ciao)"
    rf"(?: again| there)?,?[ ]+((?:[A-Z][a-z]{{1,4}}\.? )?{_NAME}(?:(?:,| and|, and| &)[ ]{_NAME}){{0,4}})"
)
_TITLE = re.compile(
    rf"\b(?:Mr|Mrs|Ms|Miss|Mx|Dr|Prof|Professor|Herr|Frau|Mme|Señora?|Sgt|Capt|Judge|Rev)\.?[ ]((?:{_CAPITAL}\.[ ])*{_NAME})"
)
_INTRODUCED = re.compile(
    rf"\b(?:[Mm]y name is|[Tt]his is|[Ii] am|I'm|named|called|[Cc]ontact|[Aa]ttn:?|c/o)[ ]({_NAME})"
)
_CLOSING = re.compile(
    r"(?im)^[ \t>]*(?:(?:with )?(?:best|kind|warm|many|kindest|warmest)(?: (?:regards|wishes|thanks))?|regards|sincerely"
    r"|yours(?: (?:sincerely|faithfully|truly|ever))?|sincerely yours|cheers|thanks(?: again| a lot| so much)?|thank you|love|cordially"
    r"|respectfully|talk soon|take care|br|rgds|viele grüße|mit freundlichen grüßen)[ \t]*[,.!\-–]*[ \t]*\n\s{0,8}[\-–—~ ]{0,4}"
    r"([^\W\d_][^\n\d@<>:]{0,40}?)[ \t]*(?:[,|/(]|$)"
)
_FIELD = re.compile(r"(?m)^[ \t>*]*(?:From|To|Cc|CC|Bcc|Sent by|Von|An|Name|Author|Signed)\*?:[ \t]*([^\n]{1,400})")
_FIELD_NAME = re.compile(r"[^,;<>\[\]\"()]+")
_LOCAL_PART = re.compile(r"(?<![\w.%+\-])([\w.\-]{1,64})@")
_LETTERS = re.compile(r"[^\W\d_]{3,}")
_SIGNATURE = re.compile(r"[^\W\d_][\w.'’\-]*(?: [^\W\d_][\w.'’\-]*){0,3}")


def opens_sentence(text: str, start: int) -> bool:
    """Whether a sentence or a line starts here, so that a capital says nothing."""
    before = text[max(0, start - 4) : start].rstrip(" \t>*\"'“(")
    return not before or before[-1] in ".!?:\n"


@lru_cache(maxsize=1)
def nltk_names() -> frozenset[str]:
    """The 7,944 given names of the NLTK names corpus (Kantrowitz), in lower case, from ``$SFUMATO_DATA``."""
    from sfumato.data.source import data_file

    path = data_file("nltk_data", "corpora/names.zip", origin="https://github.com/nltk/nltk_data (corpora/names)")
    with zipfile.ZipFile(path) as archive:
        lists = [archive.read(f"names/{sex}.txt").decode() for sex in ("female", "male")]
    return frozenset(name.strip().lower() for text in lists for name in text.splitlines() if name.strip())


@dataclass(frozen=True, kw_only=True, eq=False)
class NameRecogniser:
    """Finds names of people from a list, from their place in a mail, and again wherever their words recur in that text.

    Parameters
    ----------
    names : collection of str
        Given and family names; case does not matter. By default :data:`COMMON_NAMES`; :func:`nltk_names` has more.
    ambiguous : collection of str
        Names that are words as well, taken for names only next to another name or where a name must stand.

    Examples
    --------
    >>> text = "Dear Ludmila,\\n\\nwill you ask Peter Ostrander? Ludmila, it is urgent.\\n\\nBest regards,\\nKerstin Ahl"
    >>> [text[span.start : span.end] for span in NameRecogniser().find([text])[0]]
    ['Ludmila', 'Peter Ostrander', 'Ludmila', 'Kerstin Ahl']
    """

    names: Collection[str] = COMMON_NAMES
    ambiguous: Collection[str] = AMBIGUOUS

    def __post_init__(self) -> None:
        for label in ("names", "ambiguous"):
            value = getattr(self, label)
            if isinstance(value, str) or not all(isinstance(name, str) for name in value):
                raise bad_input(label, type(value).__name__, "a collection of names")
        if not self.names:
            raise bad_input("names", "no names", "at least one name")

    @cached_property
    def _known(self) -> frozenset[str]:
        return frozenset(part for name in self.names for part in name.lower().split())

    @cached_property
    def _unsure(self) -> frozenset[str]:
        return frozenset(name.lower() for name in self.ambiguous)

    def find(self, texts: Sequence[str]) -> list[list[Span]]:
        """The names in each text, in their order."""
        return [self._find(text) for text in texts]

    def _find(self, text: str) -> list[Span]:
        places = set(_by_place(text))
        words = {
            word
            for start, end in places
            for word in _words(text[start:end])
            if len(word) > 2 and word not in NOT_NAMES and word not in self._unsure
        }
        if "@" in text:
            words.update(
                part.lower()
                for match in _LOCAL_PART.finditer(text)
                for part in _LETTERS.findall(match.group(1).replace("_", "."))
                if part.lower() not in NOT_NAMES and part.lower() not in self._unsure
            )
        places.update(self._by_list(text, words))
        kept: list[Span] = []
        reach = -1
        for start, end in sorted(places, key=lambda place: (place[0], -place[1])):
            if end > reach:
                kept.append(Span(max(start, reach), end, "PERSON", 0.85, "name"))
                reach = end
        return kept

    def _by_list(self, text: str, here: set[str]) -> Iterator[tuple[int, int]]:
        """Capitalised words of the list, or of a name found in this text, with the capitalised words around them."""
        known, unsure = self._known, self._unsure
        for run in _RUN.finditer(text):
            words = list(_WORD.finditer(text, run.start(), run.end()))
            lower = [word.group().lower().rstrip(".") for word in words]
            if not any(word in known or word in here for word in lower):
                continue
            if lower[-1] in _ORGANISATION and not any(word in here for word in lower):
                continue
            opens = opens_sentence(text, run.start())
            is_name = [
                word in here
                or (
                    word in known
                    and (word not in unsure or len(words) > 1)
                    and not (place == 0 and opens and word in unsure)
                )
                for place, word in enumerate(lower)
            ]
            place = 0
            while place < len(words):
                if not is_name[place]:
                    place += 1
                    continue
                first = last = place
                while first > 0 and lower[first - 1] not in NOT_NAMES and not (first == 1 and opens):
                    first -= 1
                while last + 1 < len(words) and last - place < 3 and lower[last + 1] not in NOT_NAMES:
                    last += 1
                yield words[first].start(), words[last].end()
                place = last + 1


def _by_place(text: str) -> Iterator[tuple[int, int]]:
    """Names where a name must stand: after a greeting, a title or a closing, in the fields of a header."""
    for match in _GREETING.finditer(text):
        yield from _names_in(text, *match.span(1))
    for pattern in (_TITLE, _INTRODUCED):
        for match in pattern.finditer(text):
            yield from _names_in(text, *match.span(1))
    for match in _CLOSING.finditer(text):
        if _SIGNATURE.fullmatch(match.group(1)) and match.group(1).split()[0].lower() not in NOT_NAMES:
            yield match.span(1)
    for field in _FIELD.finditer(text):
        for part in _FIELD_NAME.finditer(text, *field.span(1)):
            value = part.group()
            if "@" not in value and _LETTERS.search(value) and value.strip().lower() not in NOT_NAMES:
                lead = len(value) - len(value.lstrip(" \t'"))
                yield part.start() + lead, part.start() + len(value.rstrip(" \t'"))


def _names_in(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The name in a stretch without the words around it that are none, in each part of an enumeration."""
    for part in re.finditer(rf"{_NAME_WORD}(?:[ ](?:{_CAPITAL}\.|{_NAME_WORD}))*", text[start:end]):
        words = [word for word in _WORD.finditer(part.group()) if word.group().lower() not in NOT_NAMES | _TITLES]
        if words:
            yield start + part.start() + words[0].start(), start + part.start() + words[-1].end()


_TITLES = frozenset(["mr", "mrs", "ms", "miss", "mx", "dr", "prof", "professor", "herr", "frau", "mme"])


def _words(name: str) -> Iterator[str]:
    for word in _LETTERS.findall(name):
        yield word.lower()
