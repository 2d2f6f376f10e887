"""Mines temporal properties and models from Spark DataFrames, and every class of a jar, with adit.

A DataFrame has a row for each event. Spark gathers the rows of each trace in one partition; each partition
goes to adit as an Arrow stream and becomes a partial answer, and partial answers are merged. The answer is
that of one run of adit over all rows, to the byte.
"""

from ._jobs import AditError
from ._log import infer, properties
from ._classes import mine_all

__all__ = ["AditError", "infer", "mine_all", "properties"]
