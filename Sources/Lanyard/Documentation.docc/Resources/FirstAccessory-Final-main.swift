// SPDX-License-Identifier: Apache-2.0

import Foundation
import Lanyard

let strap = AccessoryDescription(
    kind: "strap",
    matching: .service("180D"),
    services: [
        ServiceDescription("180D", [.subscribe("2A37")]),
        ServiceDescription("180F", [.read("2A19")], isRequired: false),
    ]
)

let central = AccessoryCentral(for: [strap], configuration: .init(name: "pulse"))
let accessory: Accessory
do {
    accessory = try await central.accessory(strap)  // the stored strap, or a new one
} catch AccessoryError.notFound {
    print("Wear the strap, hold it nearer, and start the program again.")
    exit(1)
}
let observation = accessory.onChange { change in
    print(change)
    fflush(nil)
}
try await accessory.untilReady()
print("Connected to \(accessory.name ?? "a strap without a name").")

if let battery = try? await accessory.read(BatteryLevel.self) {
    print("Battery: \(battery.percentage) %")
}
for await measurement in try accessory.values(of: HeartRateMeasurement.self) {
    print("\(measurement.rate) beats per minute")
    fflush(nil)  // at once, even if the output is a pipe
}
