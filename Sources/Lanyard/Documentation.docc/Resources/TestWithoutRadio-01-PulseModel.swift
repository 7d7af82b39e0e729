// SPDX-License-Identifier: Apache-2.0

import Lanyard
import Observation

/// The strap that this app supports.
extension AccessoryDescription {
    static let strap = AccessoryDescription(
        kind: "strap",
        matching: .service("180D"),
        services: [ServiceDescription("180D", [.subscribe("2A37")])]
    )
}
