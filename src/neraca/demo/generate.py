"""Write the made-up listings: `python -m neraca.demo.generate`.

All random choices depend on one seed, so the data file can be made again, byte for byte.
The places and their order by price are real; the properties are invented.
"""

from __future__ import annotations

import json
import math
import random
from functools import cache
from pathlib import Path
from typing import Any

from neraca.demo import LISTINGS
from neraca.demo.listings import Listing, distance_km

SEED = 20
ABOUT_A_DISTRICT_KM = 1.1
NEARBY_KM = 2.2
MILLION = 1_000_000

BUILDING_RATE = {"rumah": 4.2, "ruko": 5.0, "gudang": 2.2}
YEARLY_RENT = {"rumah": 0.034, "apartemen": 0.06, "ruko": 0.035, "tanah": 0.02, "gudang": 0.045}
FLATS = {"Ringroad": "The Manhattan", "Podomoro": "Podomoro City Deli", "Padang Bulan": "Mansyur Residence"}
ROOMS_BY_SIZE = [(60, 2), (120, 3), (200, 4), (100_000, 5)]


@cache
def _data(name: str) -> Any:
    return json.loads(Path(__file__).with_name(name).read_text(encoding="utf-8"))


def generate(seed: int = SEED) -> list[Listing]:
    """Make all listings."""
    rng = random.Random(seed)
    districts = {district["name"]: district for district in _data("places.json")["districts"]}
    orders = [
        (districts[name], market, kind)
        for name, market in _data("market.json")["districts"].items()
        for kind, count in market["mix"].items()
        for _ in range(count)
    ]
    rng.shuffle(orders)
    return [_listing(rng, f"L{number:04}", *order) for number, order in enumerate(orders, start=1)]


def _listing(rng: random.Random, key: str, district: dict[str, Any], market: dict[str, Any], kind: str) -> Listing:
    lat, lng = _point(rng, district, kind)
    rent = rng.random() < _data("market.json")["rent_share"][kind]
    name = FLATS.get(district["name"], "") if kind == "apartemen" else rng.choice(market["complexes"])
    if kind in ("tanah", "gudang"):
        name = ""
    size = _size(rng, kind)
    facilities = _facilities(rng, kind, name)
    nearby = _nearby(lat, lng)
    street = rng.choice(market["streets"])
    fields: dict[str, Any] = {
        "id": key,
        "property_type": kind,
        "listing_type": "disewa" if rent else "dijual",
        "price": _price(rng, kind, market["rate"], size, rent=rent),
        **size,
        "district": district["name"],
        "address": f"Jl. {street} No. {rng.randint(1, 180)}, {district['name']}, Medan",
        "lat": lat,
        "lng": lng,
        "complex": name,
        "nearby": nearby,
    }
    fields |= _words(rng, fields, facilities)
    return Listing.from_dict(_drop_some_numbers(rng, fields))


def _point(rng: random.Random, district: dict[str, Any], kind: str) -> tuple[float, float]:
    market = _data("market.json")
    banned = next(d for d in _data("places.json")["districts"] if d["name"] == market["no_warehouse_around"])
    while True:
        away, angle = ABOUT_A_DISTRICT_KM * math.sqrt(rng.random()), rng.uniform(0, 2 * math.pi)
        if district["name"] == "Podomoro":
            away /= 5
        lat = round(district["lat"] + away * math.cos(angle) / 111.2, 5)
        lng = round(district["lng"] + away * math.sin(angle) / 111.0, 5)
        clear = distance_km(lat, lng, banned["lat"], banned["lng"]) > market["no_warehouse_km"]
        if kind != "gudang" or clear:
            return lat, lng


def _size(rng: random.Random, kind: str) -> dict[str, int | None]:
    if kind == "tanah":
        land = rng.choice([90, 105, 120, 150, 180, 200, 240, 300, 375, 450, 600, 800, 1200])
        return {"bedrooms": None, "bathrooms": None, "floors": None, "land_size": land, "building_size": None}
    if kind == "gudang":
        land = rng.choice([300, 450, 500, 750, 1000, 1500, 2000, 3000])
        building = round(land * rng.uniform(0.55, 0.85), -1)
        return {"bedrooms": None, "bathrooms": 1, "floors": 1, "land_size": land, "building_size": int(building)}
    if kind == "apartemen":
        rooms = rng.choices([1, 2, 3], [4, 5, 2])[0]
        building = {1: rng.randint(22, 38), 2: rng.randint(40, 62), 3: rng.randint(75, 120)}[rooms]
        baths = max(1, rooms - 1)
        return {"bedrooms": rooms, "bathrooms": baths, "floors": 1, "land_size": None, "building_size": building}
    if kind == "ruko":
        floors, land = rng.choices([2, 3, 4], [3, 5, 2])[0], rng.choice([64, 72, 76, 80, 90, 100, 120])
        building = int(land * 0.85 * floors)
        return {"bedrooms": None, "bathrooms": floors, "floors": floors, "land_size": land, "building_size": building}
    land = rng.choice([60, 66, 72, 72, 78, 84, 90, 98, 105, 112, 120, 128, 144, 160, 180, 200, 250, 320])
    floors = rng.choices([1, 2, 3], [5, 5, 2])[0] if land < 300 else 2
    building = int(land * rng.uniform(0.55, 0.8) * (1 + 0.7 * (floors - 1)))
    rooms = next(rooms for limit, rooms in ROOMS_BY_SIZE if building <= limit)
    baths = max(1, rooms - rng.choice([0, 1, 1, 2]))
    return {"bedrooms": rooms, "bathrooms": baths, "floors": floors, "land_size": land, "building_size": building}


def _price(rng: random.Random, kind: str, rate: float, size: dict[str, int | None], *, rent: bool) -> int:
    land, building = size["land_size"] or 0, size["building_size"] or 0
    millions = building * (9 + rate * 0.55) if kind == "apartemen" else land * rate
    if kind in BUILDING_RATE:
        millions += building * BUILDING_RATE[kind]
    if kind == "gudang":
        millions *= 0.75
    millions *= rng.uniform(0.82, 1.18)
    if rent:
        millions *= YEARLY_RENT[kind]
    step = 1 if millions < 100 else 5 if millions < 1000 else 25 if millions < 5000 else 100
    return max(step, round(millions / step) * step) * MILLION


def _facilities(rng: random.Random, kind: str, name: str) -> list[str]:
    prose = _data("prose.json")
    facilities = rng.sample(prose["facilities"][kind], k=min(len(prose["facilities"][kind]), rng.randint(2, 6)))
    if name and kind == "rumah":
        facilities += rng.sample(prose["complex_facilities"], k=rng.randint(1, 3))
    return list(dict.fromkeys(facilities))


def _nearby(lat: float, lng: float) -> list[str]:
    landmarks = _data("places.json")["landmarks"]
    by_distance = sorted(
        (distance_km(lat, lng, mark["lat"], mark["lng"]), f"{mark['kind']} {mark['name']}") for mark in landmarks
    )
    return [name for distance, name in by_distance[:4] if distance <= NEARBY_KM]


def _words(rng: random.Random, fields: dict[str, Any], facilities: list[str]) -> dict[str, Any]:
    prose = _data("prose.json")
    kind, where = fields["property_type"], fields["complex"] or fields["district"]
    offered = "disewakan" if fields["listing_type"] == "disewa" else "dijual"
    verb = rng.choice(prose["verbs"][fields["listing_type"]])
    adjective = rng.choice(prose["adjectives"][kind])
    mentioned = rng.sample(facilities, k=min(len(facilities), rng.randint(1, 3)))
    sentences = [rng.choice(prose["openings"][kind]).format(adjective=adjective, where=where, offered=offered)]
    if fields["bedrooms"]:
        sentences.append(rng.choice(prose["rooms"]).format(**fields))
    phrases = [rng.choice(prose["in_prose"][name]) for name in mentioned]
    sentences += [f"{phrase[0].upper()}{phrase[1:]}." for phrase in phrases]
    if fields["nearby"] and rng.random() < 0.7:
        marks = " dan ".join(rng.sample(fields["nearby"], k=min(2, len(fields["nearby"]))))
        sentences.append(rng.choice(prose["nearby"]).format(nearby=marks))
    endings = prose["rent_closings"] if fields["listing_type"] == "disewa" else prose["closings"]
    sentences.append(rng.choice(endings))
    # As on any real market place, owners mention some facilities only in the text.
    if len(facilities) > 2 and rng.random() < 0.2:
        facilities = [name for name in facilities if name != mentioned[0]]
    title = f"{verb.capitalize()} {kind} {adjective} di {where}"
    return {"title": title, "facilities": facilities, "description": " ".join(filter(None, sentences))}


def _drop_some_numbers(rng: random.Random, fields: dict[str, Any]) -> dict[str, Any]:
    """Leave out each of some numbers with a small probability, as if the owner had not stated it."""
    for name in ("land_size", "building_size", "bathrooms", "floors"):
        if rng.random() < 0.04:
            fields = {**fields, name: None}
    return fields


def lines(listings: list[Listing]) -> str:
    """Return the text of the data file for the listings."""
    return "".join(json.dumps(listing.as_dict(), ensure_ascii=False) + "\n" for listing in listings)


if __name__ == "__main__":
    LISTINGS.write_text(lines(generate()), encoding="utf-8", newline="\n")
    print(f"wrote {LISTINGS}")
