# SPDX-License-Identifier: Apache-2.0
from typing import Any, Optional

def seed_of(seed: Any) -> Optional[int]: ...
