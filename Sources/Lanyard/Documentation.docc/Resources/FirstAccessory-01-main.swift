// SPDX-License-Identifier: Apache-2.0

import Lanyard

let strap = AccessoryDescription(
    kind: "strap",
    matching: .service("180D"),
    services: []
)
