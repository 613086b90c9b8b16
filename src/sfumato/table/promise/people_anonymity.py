"""k-anonymity that counts people: a class of twenty records of one patient hides nobody."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.table.core.classes import Classes
from sfumato.table.core.hierarchy import Hierarchy
from sfumato.table.core.risk import ClassRisk, class_risk
from sfumato.table.core.summary import Summary
from sfumato.table.promise.base import Bools, ClassPromise, Floats
from sfumato.validate import integer

__all__ = ["PeopleAnonymity", "people_in", "people_risks"]

Ints = NDArray[np.int64]


def people_in(classes: Classes, column: str) -> Floats:
    """How many different people (values of ``column``) have a record in each class."""
    return np.bincount(_people(classes, column)[0], minlength=classes.number).astype(np.float64)


def people_risks(classes: Classes, column: str) -> Floats:
    """The risk of each person who has a record in the classes: 1 over the people of the smallest class they are in."""
    where, who = _people(classes, column)
    risk = np.zeros(len(classes.table.column(column).values))
    np.maximum.at(risk, who, 1 / np.bincount(where, minlength=classes.number)[where])
    return risk[risk > 0]


def risk_in(classes: Classes, person: str | None) -> ClassRisk:
    """The risks that follow from classes: of people where ``person`` says whose record each is, else of records."""
    if person is None:
        return class_risk(classes.sizes)
    each = people_risks(classes, person)
    return ClassRisk(float(each.max()), float(each.mean()), float((each == 1).mean()), "people")


def _people(classes: Classes, column: str) -> tuple[Ints, Ints]:
    """Class and person, once for every class that a person has records in."""
    held = classes.table.column(column)
    member = classes.member[held.tuples]
    inside = (member >= 0) & (held.counts > 0)
    people = max(len(held.values), 1)
    pairs = np.unique(member[inside] * people + held.codes[inside])
    return pairs // people, pairs % people


@dataclass(frozen=True)
class PeopleAnonymity(ClassPromise):
    """At least k different people in every class, however many records each of them has.

    (X, Y)-anonymity of Wang and Fung (2006), with the quasi-identifiers for X and people for Y. A column of households
    makes it k households. Records of k people are at least k records, so it implies :class:`KAnonymity`.

    With ``earlier`` releases it says more: in the joined view of this release and those. Let the *view* of a person be
    the classes of all their records in all of these releases. Everyone who is in two or more of them shares their view
    with at least k − 1 others; of everyone who is in one of them only, each record shares its class with records of at
    least k − 1 others who are in that one only.

    **Theorem.** An attacker who sees all the releases, knows the quasi-identifiers of a person at each of them and
    knows in which of them everybody is, is left with at least k people, even if told which records of different
    releases belong to one person. *Proof.* Two people with the same view have the same quasi-identifiers, as released,
    everywhere: exchanging their names changes nothing that the attacker sees or knows, so all of the k fit the victim.
    For a person in one release only, the same holds of each record among the people of its class who are in that one
    only. ∎

    With ``successors``, people share *seats*: someone who left and someone who came, and whose values in all other
    released columns are the same, may have one seat, whose view is the classes of both. Then the same holds with seats
    for people, against an attacker who knows the method but is not told which records belong to one person: those whose
    seat changed hands have the records of at least k seats open to them, and so have those who stayed. *Proof.* Take
    the n seats of one view, s of which changed hands. Link the records of different releases, one of each class of the
    view, to n tracks, of which as many as can be have the same values throughout: Λ = Σ_v min c(v), where c(v) is how
    often a release shows the values v. Give the people of the s seats any s of the Λ tracks, and everyone who stayed
    any other. Nothing that the releases show is changed, everybody is in the releases that they are known to be in, and
    successors have the values of those who left; people who stayed may have other values now. So who left, or came, can
    have any of Λ records, and who stayed any of the n, or of n − Λ if Λ = s: the release is made so that these are k at
    least. ∎ Whoever knows of some values that they cannot last, or is told of some people which records are theirs, has
    as many fewer.

    The other promises on classes hold for the same groups and tracks, in the releases that have their column: with
    distinct l-diversity and values that last, at least l values are left after any intersection or difference of the
    releases (the *persistent* signature of m-invariance, Xiao and Tao 2007).

    Parameters
    ----------
    k : int
    column : str
        Whose record it is; the column itself is not released.
    earlier : tuple of str
        Ids of the releases of the same people that it also holds together with.
    successors : bool
        Whether newcomers took the places of people who left.

    >>> print(PeopleAnonymity(5, "patient"))
    k = 5 different values of patient (syntactic, per class of records)
    """

    k: int
    column: str
    earlier: tuple[str, ...] = ()
    successors: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        integer("k", self.k)
        if not isinstance(self.column, str) or not self.column:
            raise bad_input("column", self.column, "the column that says whose record it is")
        object.__setattr__(self, "earlier", tuple(self.earlier))

    @property
    def statement(self) -> str:
        found = f"k = {self.k} different values of {self.column}"
        releases = "an earlier release" if len(self.earlier) == 1 else f"{len(self.earlier)} earlier releases"
        return f"{found}, also together with {releases}" if self.earlier else found

    @property
    def meaning(self) -> str:
        found = f"Records that look alike are always of at least {self.k} different values of {self.column}."
        if self.earlier:
            found += " The same is left to whoever intersects or subtracts this and the earlier releases"
            found += ", unless told which of their records belong to one person." if self.successors else "."
        return found

    @property
    def least_size(self) -> int:
        return self.k

    @property
    def counted(self) -> str:
        return self.column

    def beside(self, earlier: tuple[str, ...], successors: bool = False) -> PeopleAnonymity:
        return replace(self, earlier=earlier, successors=successors)

    def require(self, table: Summary) -> None:
        people = int((table.column(self.column).histogram > 0).sum())
        if self.k > people:
            raise bad_input("k", self.k, f"at most the {people} different values of {self.column}", "lower k")

    def levels(self, classes: Classes) -> Floats:
        return people_in(classes, self.column)

    def holds(self, classes: Classes) -> Bools:
        return self.levels(classes) >= self.k

    def reached(self, classes: Classes) -> float:
        return float(self.levels(classes)[classes.sizes > 0].min())

    def of_whole(self, whole: Classes) -> str:
        return f"{int(self.levels(whole)[0])} different values of {self.column}"

    def hidden_from_release(self, trees: Mapping[str, Hierarchy | None]) -> str:
        return f"the release does not tell whose record it is: {self.column} is not in it"
