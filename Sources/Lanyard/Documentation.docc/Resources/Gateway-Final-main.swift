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

/// Returns the known thermometer, or waits until one is found and paired.
func findThermometer(with central: AccessoryCentral) async throws -> Accessory {
    while true {
        do {
            return try await central.accessory(.thermometer)
        } catch {
            say("No thermometer: \(error)")
            try await Task.sleep(for: .seconds(10))
        }
    }
}

let central = AccessoryCentral(for: [.thermometer], configuration: .init(name: "gateway"))
let thermometer = try await findThermometer(with: central)
let observation = thermometer.onChange { change in say("\(change)") }
for await temperature in try thermometer.values(of: Temperature.self) {
    say("\(temperature)")
}
