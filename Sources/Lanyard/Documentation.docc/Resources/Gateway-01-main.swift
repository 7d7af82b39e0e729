// SPDX-License-Identifier: Apache-2.0

import Foundation
import Lanyard

extension AccessoryDescription {
    static let thermometer = AccessoryDescription(
        kind: "thermometer",
        matching: .service("181A"),
        services: [ServiceDescription("181A", [.subscribe("2A6E")])]
    )
}

@Sendable func say(_ text: String) {
    print(text)
    fflush(nil)  // so that the journal gets it at once
}
