"""The rig: the file that describes one physical table, and what moved on it.

Takes edges and the rig file, gives sightings. Knows neither pieces nor rules.
"""

from .file import RigFile
from .loader import load_rig
from .reading import RigError
from .rig import Rig

__all__ = ["Rig", "RigError", "RigFile", "load_rig"]
