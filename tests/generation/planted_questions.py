"""Documents about branches of a library, a writer that plants known faults, and a reader that reads what it is shown.

The writer and the reader share the ways to ask about a fact, and nothing else: the reader looks for the fact in the
texts of its prompt.  Half of what the writer writes has one fault of `FAULTS`, in turn.
"""

import re
from random import Random

from judges.scripted_model import data_of

#: Fact → its sentence, two ways to ask for it, the answer, and the same in Indonesian.
FACTS = {
    "opens": (
        "The doors open to every visitor at {v} sharp on all weekdays.",
        ("At what hour can people first enter {e} from Monday to Friday?", "How early does {e} let the public in?"),
        "at {v} o'clock",
        "Jam berapa {e} dibuka untuk pengunjung?",
    ),
    "novels": (
        "Readers may keep every borrowed novel for {v} days before a reminder goes out.",
        ("How long can a novel from {e} stay with its borrower?", "What loan period does {e} grant for novels?"),
        "{v} days",
        "Berapa hari novel dari {e} boleh dipinjam?",
    ),
    "prints": (
        "Each printed sheet costs {v} cents, to be paid at the front desk.",
        ("What does {e} charge for printing one page?", "How expensive is a single printout at {e}?"),
        "{v} cents a sheet",
        "Berapa biaya cetak satu halaman di {e}?",
    ),
    "bikes": (
        "Behind the building there are {v} covered stands for the bicycles of visitors.",
        ("How many bikes can be parked at {e}?", "What number of cyclists finds a place at {e}?"),
        "{v} stands",
        "Ada berapa tempat sepeda di {e}?",
    ),
    "built": (
        "Its oldest reading room was built in {v} by masons from the valley.",
        ("When was the first reading room of {e} erected?", "What is the age of the oldest hall in {e}, by year?"),
        "in {v}",
        "Kapan ruang baca tertua di {e} dibangun?",
    ),
    "course": (
        "A free evening course in bookbinding takes place there {v} times a year.",
        ("How often does {e} teach people to bind books?", "What is the yearly number of binding classes at {e}?"),
        "{v} times",
        "Berapa kali setahun {e} mengadakan kursus menjilid?",
    ),
}
#: Questions whose answer is nowhere.
NOWHERE = (
    "How many lockers does {e} have for coats?",
    "Which firm cleans the windows of {e}?",
    "Does {e} lend umbrellas on rainy days?",
)
FAULTS = ("unanswerable", "quote", "deictic", "copied", "duplicate", "language", "half", "answerable")
#: The fault of later turns of a conversation: they say all that the turn before has said.
COMPLETE = "complete"
_VALUES = {"opens": (6, 11), "novels": (12, 59), "prints": (61, 99), "bikes": (101, 199), "built": (1701, 1950)}


def _pattern(sentence):
    return re.compile(re.escape(sentence).replace(r"\{v\}", r"(\d+)"))


def branches(n, seed=0):
    """Branch → fact → value."""
    random = Random(seed)
    starts, ends = ("Nor", "Sel", "Tam", "Bir", "Cor", "Wex", "Lud", "Hal", "Pen", "Dun"), ("wick", "by", "ford", "ham")
    names = [f"{start}{middle}{end}" for middle in ("a", "e", "o", "i", "u") for start in starts for end in ends]
    return {
        f"{name} branch": {fact: random.randint(*_VALUES.get(fact, (2, 5))) for fact in FACTS} for name in names[:n]
    }


def write_folder(folder, world):
    """A Markdown file for each branch."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, values in world.items():
        text = " ".join(FACTS[fact][0].format(v=value) for fact, value in values.items())
        (folder / f"{name.split()[0].lower()}.md").write_text(f"# {name}\n\nAbout the {name}. {text}\n", "utf-8")
    return folder


def name_of(question, answer, quotes):
    """The name of a written question: one text may be asked with and without a fault."""
    return f"{question} {answer} {sorted(quotes)}"


class Writer:
    """Writes questions, of which every second one has a fault; `truth` has name of a question → "" or its fault.

    `faults` are planted in turn; with none every question is good.
    """

    def __init__(self, faults=FAULTS):
        self.faults, self.truth = tuple(faults), {}
        self._turn = 0

    def __call__(self, data):
        parts = list(data["documents"].items())
        reply, used = {}, {}
        for key, kind in data["write"].items():
            fault = self._next_fault(kind, used)
            written = self._write(parts, kind, fault, used, data["asked"])
            if written["question"]:
                name = name_of(written["question"], written["answer"], [quote["text"] for quote in written["quotes"]])
                assert self.truth.setdefault(name, fault) == fault, written
            reply[key] = written
        return reply

    def _next_fault(self, kind, used):
        """Every second question, and every second later turn, has a fault: the next that can be planted in its kind."""
        self._turn += 1
        if kind in ("multi", "compare"):
            possible = {"half"}
        elif kind == "next":
            possible = {COMPLETE}
        elif kind == "first":
            possible = set()
        elif kind == "single":
            possible = {"unanswerable", "quote", "deictic", "copied", "language"} | (
                {"duplicate"} if "" in used.values() else set()
            )
        else:
            possible = {"answerable"}
        number = self._turn // 2 if kind == "next" else self._turn
        if number % 2 or not (faults := [fault for fault in self.faults if fault in possible]):
            return ""
        self.faults = (*(fault for fault in self.faults if fault != faults[0]), faults[0])
        return faults[0]

    def _write(self, parts, kind, fault, used, asked):
        (key, part), branch = parts[0], _branch(parts[0][1])
        facts = {fact: _pattern(FACTS[fact][0]).search(part["text"]) for fact in FACTS}
        free = [f for f, match in facts.items() if match and f not in used and not _asked(f, branch, asked)]
        if not free:
            return {"quotes": [], "question": "", "answer": "", **({"standalone": ""} if kind == "next" else {})}
        fact = next(f for f in used if not used[f]) if fault == "duplicate" else free[0]
        _, questions, answer, foreign = FACTS[fact]
        quote = {"document": key, "text": facts[fact][0]}
        good = {
            "quotes": [quote],
            "question": questions[0].format(e=f"the {branch}"),
            "answer": answer.format(v=facts[fact][1]),
        }
        if kind in ("single", "first", "next", "multi", "compare") or fault:
            used[fact] = fault or used.get(fact, "")
        if kind in ("multi", "compare"):
            return self._about_two(parts, fault, good, fact)
        if kind == "next":
            bare = good["question"] if fault else questions[0].format(e="it")
            return {**good, "question": bare, "standalone": good["question"]}
        if kind == "first":
            return good
        if kind != "single":
            return self._unanswerable(kind, fault, good, branch, asked, quote)
        match fault:
            case "unanswerable":
                return {**good, "question": _nowhere(branch, asked), "answer": f"{facts[fact][1]} of them"}
            case "quote":
                return {
                    **good,
                    "quotes": [{**quote, "text": "Visitors are asked to leave all dogs at home on Sundays."}],
                }
            case "deictic":
                start = good["question"][0].lower() + good["question"][1:]
                return {**good, "question": f"According to this document, {start}"}
            case "copied":
                return {
                    **good,
                    "question": f"Is it true that {facts[fact][0][0].lower()}{facts[fact][0][1:-1]} at {branch}?",
                }
            case "duplicate":
                return {**good, "question": questions[1].format(e=f"the {branch}")}
            case "language":
                return {**good, "question": foreign.format(e=branch)}
        return good

    def _about_two(self, parts, fault, good, fact):
        if fault == "half":
            return {**good, "quotes": [*good["quotes"], _first_sentence(parts[1])]}
        other = _branch(parts[1][1])
        value = _pattern(FACTS[fact][0]).search(parts[1][1]["text"])
        if value is None:
            return {"quotes": [], "question": "", "answer": ""}
        both = f"{good['question'][:-1]}, and at the {other}?"
        quotes = [*good["quotes"], {"document": parts[1][0], "text": value[0]}]
        return {"quotes": quotes, "question": both, "answer": f"{good['answer']} and {value[1]}"}

    def _unanswerable(self, kind, fault, good, branch, asked, quote):
        if fault:
            return {**good, "answer": "nothing says it"}  # though a text does
        question = {
            "near_miss": f"Who pays for the flowers in front of the {branch}?",
            "false_premise": f"Why has the {branch} been closed to cyclists since spring?",
            "out_of_scope": f"Which chess player from {branch.split()[0]} won in Oslo?",
            "underspecified": f"Is it longer there than before the {branch} changed it?",
        }[kind]
        if question in asked:
            return {"quotes": [], "question": "", "answer": ""}
        quotes = [] if kind == "out_of_scope" else [quote]
        return {"quotes": quotes, "question": question, "answer": "no text says it"}


def _branch(part):
    return re.search(r"[A-Z][a-z]+ branch", part["title"] + part["text"])[0]


def _asked(fact, branch, asked):
    return any(branch in question and question_fact(question) == fact for question in asked)


def _nowhere(branch, asked):
    texts = (question.format(e=f"the {branch}") for question in NOWHERE)
    return next((text for text in texts if text not in asked), "")


def _first_sentence(part):
    return {"document": part[0], "text": part[1]["text"].split(". ")[0] + "."}


def question_fact(question):
    """The fact that a question asks for; None: one that no text has."""
    for fact, (_, questions, _, foreign) in FACTS.items():
        for way in (*questions, foreign):
            before, after = way.split("{e}")
            if re.search(rf"{re.escape(before[1:])}.*{re.escape(after[:-1])}", question):
                return fact
    return None


def read(data):
    """Answer each question from the texts alone, by looking for the fact that it asks for; nothing without texts."""
    if "texts" not in data:
        return {key: {"answer": ""} for key in data["questions"]}
    reply = {}
    for key, question in data["questions"].items():
        if claim := re.fullmatch(r"Is it true that .(.*) at .* branch\?", question):
            alone = [text_key for text_key, text in data["texts"].items() if claim[1] in text]
            reply[key] = {"reason": "it says so", "answer": "Yes" if alone else "", "alone": alone}
            continue
        fact, names = question_fact(question), re.findall(r"[A-Z][a-z]+ branch", question)
        found = {}
        for text_key, text in data["texts"].items():
            for name in names:
                if fact and name in text and (match := _pattern(FACTS[fact][0]).search(text)):
                    found.setdefault(name, {})[text_key] = match[1]
        whole = bool(names) and found.keys() == set(names)
        alone = set.intersection(*(set(texts) for texts in found.values())) if whole else set()
        answer = " and ".join(next(iter(found[name].values())) for name in names) if whole else ""
        reply[key] = {"reason": f"{fact} of {names}", "answer": answer, "alone": sorted(alone)}
    return reply


def fault_of(writer, draft):
    """The fault that was planted in a question; "" if none was."""
    return writer.truth[name_of(draft.question, draft.answer, [quote.text for quote in draft.quotes])]


def reply_to(writer):
    """The reply of a model that both writes and reads, from a prompt."""

    def reply(prompt):
        data = data_of(prompt)
        return writer(data) if "write" in data else read(data)

    return reply
