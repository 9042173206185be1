"""A small shop search to evaluate: put your own system in its place."""

SHOP = [
    {"id": "1", "kind": "shoe", "colour": "red", "price": 45, "about": "red running shoe, light"},
    {"id": "2", "kind": "shoe", "colour": "red", "price": 80, "about": "red dancing shoe"},
    {"id": "3", "kind": "jacket", "colour": "blue", "price": 120, "about": "warm blue winter jacket"},
    {"id": "4", "kind": "jacket", "colour": "red", "price": 95, "about": "warm red jacket for winter"},
    {"id": "5", "kind": "hat", "colour": "green", "price": 20, "about": "green summer hat"},
    {"id": "6", "kind": "boot", "colour": "black", "price": 130, "about": "black leather boot"},
    {"id": "7", "kind": "boot", "colour": "brown", "price": 110, "about": "brown suede boot"},
]


def _search(query, history, pieces):
    wanted = pieces(" ".join([*(turn["query"] for turn in history), query]))
    scored = [(len(wanted & pieces(thing["about"])), thing) for thing in SHOP]
    best = sorted((pair for pair in scored if pair[0] > 0), key=lambda pair: -pair[0])[:5]
    return {
        "text": f"I found {len(best)}: " + "; ".join(thing["about"] for _, thing in best),
        "hits": [thing | {"score": score} for score, thing in best],
    }


def by_words(query, history):
    """Count the words that question and description share."""
    return _search(query, history, lambda text: set(text.lower().split()) - {"a", "the", "in"})


def by_letters(query, history):
    """Count the groups of three letters that they share."""
    return _search(query, history, lambda text: {text.lower()[i : i + 3] for i in range(len(text) - 2)})
