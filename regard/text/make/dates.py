"""`dates`: a date as English, French and German people write it, to ISO 8601.

No form is ambiguous. Numbers alone begin with a year of four digits, or with the day: 03/04/2021 is in April.
A year of two digits is written only with a month's name, behind an apostrophe, and means 1950 to 2049.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import date, timedelta
from typing import NamedTuple

from regard.text.make.draw import Corpus, Example, Split

FIRST, LAST = date(1900, 1, 1), date(2099, 12, 31)
DAYS = (LAST - FIRST).days + 1


class Names(NamedTuple):
    """The words of a language: weekdays from Monday, months from January, and months cut short."""

    weekdays: str
    months: str
    short: str


ENGLISH = Names(
    "Monday Tuesday Wednesday Thursday Friday Saturday Sunday",
    "January February March April May June July August September October November December",
    "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec",
)
FRENCH = Names(
    "lundi mardi mercredi jeudi vendredi samedi dimanche",
    "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "janv. févr. mars avr. mai juin juil. août sept. oct. nov. déc.",
)
GERMAN = Names(
    "Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag",
    "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "Jan. Feb. März Apr. Mai Juni Juli Aug. Sept. Okt. Nov. Dez.",
)
NUMBERS = "%Y-%m-%d %Y/%m/%d %Y%m%d %d/%m/%Y {0.day}/{0.month}/%Y %d.%m.%Y {0.day}.{0.month}.%Y"


def names(language: Names, day: date, rng: random.Random) -> tuple[str, str]:
    """The weekday, and the month in full or cut short."""
    months = rng.choice((language.months, language.short))
    return language.weekdays.split()[day.weekday()], months.split()[day.month - 1]


def ordinal(day: int) -> str:
    """1st, 2nd, 3rd, 4th, 11th."""
    ending = "th" if day in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
    return f"{day}{ending}"


def _english(day: date, rng: random.Random) -> str:
    weekday, month = names(ENGLISH, day, rng)
    number, year = rng.choice((str(day.day), ordinal(day.day))), _year(day, rng)
    body = rng.choice(
        (f"{number} {month} {year}", f"{month} {number}, {year}", f"the {ordinal(day.day)} of {month} {year}")
    )
    return f"{weekday}, {body}" if rng.random() < 0.3 else body


def _french(day: date, rng: random.Random) -> str:
    weekday, month = names(FRENCH, day, rng)
    body = f"{'1er' if day.day == 1 else day.day} {month} {_year(day, rng)}"
    return rng.choice((body, f"le {body}", f"{weekday} {body}", f"le {weekday} {body}"))


def _german(day: date, rng: random.Random) -> str:
    weekday, month = names(GERMAN, day, rng)
    body = f"{day.day}. {month} {_year(day, rng)}"
    return rng.choice((body, f"den {body}", f"{weekday}, {body}", f"{weekday}, den {body}"))


def _numbers(day: date, rng: random.Random) -> str:
    return day.strftime(rng.choice(NUMBERS.split()).format(day))


def _year(day: date, rng: random.Random) -> str:
    """Four digits, sometimes two where the convention can tell the century."""
    if 1950 <= day.year < 2050 and rng.random() < 0.2:
        return f"'{day.year % 100:02}"
    return str(day.year)


FORMS: tuple[Callable[[date, random.Random], str], ...] = (_english, _french, _german, _numbers)


def sample(rng: random.Random, split: Split) -> Example:
    """A day between FIRST and LAST in one of the forms, as it is written or in one case."""
    day = FIRST + timedelta(days=rng.randrange(DAYS))
    text = rng.choice(FORMS)(day, rng)
    case = rng.choice((str, str, str.lower, str.upper))
    return Example(case(text), day.isoformat())


def corpus() -> Corpus:
    """Every day has at least ten different spellings, so that ten times the days can be asked for."""
    return Corpus(sample, available=10 * DAYS, train=20_000, valid=1_000, test=1_000)
