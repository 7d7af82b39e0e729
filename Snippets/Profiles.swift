// SPDX-License-Identifier: Apache-2.0
//! Declares an accessory with types, and reads, writes and receives its values.

// `Scripts/test-sanitized` builds a part of the package, without `Lanyard`.
#if canImport(Lanyard)
    // snippet.declare
    import Lanyard

    struct HeartStrap: AccessoryProfile {
        static let kind = "strap"
        static let service: BluetoothID = "180D"

        let measurement = Subscribed<HeartRateMeasurement>()
        let location = Readable<BodySensorLocation>()
        let control = Writable<HeartRateControlPoint>()
        let battery = Readable<BatteryLevel>(in: "180F", isRequired: false)
    }
    // snippet.end

    func use() async throws {
        // snippet.use
        let central = AccessoryCentral(for: [HeartStrap.description])
        let strap = try await central.accessory(HeartStrap.self)
        print(try await strap.location.read())
        try await strap.control.write(.resetEnergyExpended)
        for try await beat in strap.measurement { print(beat.rate) }
        // snippet.end
    }

    // snippet.coding
    import Foundation

    struct Color: Sendable { var red, green, blue: UInt8 }

    extension ValueCoding<Color> {
        static let color = ValueCoding(
            decode: { data throws(ValueError) in
                guard data.count == 3 else { throw .invalid(field: "color") }
                let bytes = [UInt8](data)
                return Color(red: bytes[0], green: bytes[1], blue: bytes[2])
            },
            encode: { Data([$0.red, $0.green, $0.blue]) }
        )
    }

    struct ColorLamp: AccessoryProfile {
        static let kind = "color lamp"
        static let service: BluetoothID = "1815"

        let color = Writable("2A56", coding: ValueCoding<Color>.color)
    }
    // snippet.end

    // snippet.controlPoint
    struct GlucoseMeter: AccessoryProfile {
        static let kind = "glucose meter"
        static let service: BluetoothID = "1808"

        let measurements = Subscribed<GlucoseMeasurement>()
        let records = ControlPoint<RecordAccessCommand>()
    }
    // snippet.end

    func useRecords(of meter: TypedAccessory<GlucoseMeter>) async throws {
        // snippet.procedures
        do {
            print(try await meter.records.count(.all))
            try await meter.records.perform(.report(.from(7)))
            // The records have arrived in `measurements`.
        } catch .refused(.noRecordsFound) {
            print("there are no records")
        }
        // snippet.end
    }

    // snippet.configure
    struct Badge: AccessoryProfile {
        static let kind = "badge"
        static let service: BluetoothID = "FFE0"

        let messages = MessagePair(writing: "FFE1", listening: "FFE2")

        static func configure(_ badge: inout AccessoryDescription) {
            badge.identity = .manufacturerData(company: 0xFFFF, range: 0..<4)
        }
    }
    // snippet.end

    struct Note: Codable { var text: String }

    /// Prints a line at once, even if the output is a pipe.
    func print(_ items: Any...) {
        Swift.print(items.map { "\($0)" }.joined(separator: " "))
        fflush(nil)
    }

    @MainActor
    func send(to model: AccessoryModel, sealing: AuthenticatedCBCSealing) async throws {
        // snippet.typed
        let badge = try TypedAccessory(model.accessory, as: Badge.self)
        // Keep one channel for each accessory.
        let messages = badge.messages.channel(options: MessageChannelOptions(sealing: sealing))
        let answer = try await messages.request(Note(text: "Hello"), expecting: Note.self)
        // snippet.end
        print(answer.text)
    }

    // snippet.program
    await Lanyard.run {
        let central = AccessoryCentral(for: [HeartStrap.description])
        let strap = try await central.accessory(HeartStrap.self)
        for try await beat in strap.measurement { print(beat.rate) }
    }
// snippet.end
#endif
