// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
    import Foundation
    import Lanyard
    import Testing

    /// The heart rate service and the battery of the demo accessory.
    private struct DemoProfile: AccessoryProfile {
        static let kind = "demo"
        static let service: BluetoothID = "180D"

        let measurement = Subscribed<HeartRateMeasurement>()
        let location = Readable<BodySensorLocation>()
        let control = Writable<HeartRateControlPoint>()
        let level = Readable<BatteryLevel>(in: "180F")
        let manufacturer = Readable<String>("2A29", in: "180A")
        let serial = Readable<String>("2A23", in: "180A", isRequired: false)

        static func configure(_ description: inout AccessoryDescription) {
            // Peers are processes on a busy machine.
            description.timeouts.scanning = .seconds(60)
            description.timeouts.connecting = .seconds(30)
        }
    }

    /// A typed profile with a third-party accessory.
    @Suite(.needsPeers) struct BumbleProfileTests {
        @Test("Rows 4, 5, 15, 19: A typed profile is read, written and received")
        func uses() async throws {
            try await withBoxFixture { fixture in
                _ = try await fixture.demo()
                let central = AccessoryCentral(
                    for: [DemoProfile.description],
                    configuration: try fixture.configuration()
                )
                let demo = try await central.accessory(DemoProfile.self)
                #expect(try await demo.location.read() == .wrist)
                #expect(try await demo.level.read().percentage == 87)
                #expect(try await demo.manufacturer.read() == "Lanyard")
                try await demo.control.write(.resetEnergyExpended)
                await #expect(throws: AccessoryError.unknownCharacteristic("2A23")) {
                    try await demo.serial.read()
                }
                let beats = try await within(BoxFixture.limit, "eight beats") {
                    var beats: [HeartRateMeasurement] = []
                    for try await beat in demo.measurement {
                        beats.append(beat)
                        if beats.count == 8 { return beats }
                    }
                    return beats
                }
                #expect(beats.count == 8)
                #expect(beats.allSatisfy { (60..<100).contains($0.rate) }, "\(beats)")
                // Every fourth beat has the energy expended.
                #expect(beats.count { $0.energyExpended != nil } == 2, "\(beats)")
                await central.shutDown()
            }
        }
    }
#endif
