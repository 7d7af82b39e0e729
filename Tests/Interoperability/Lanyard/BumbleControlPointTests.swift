// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
    import Foundation
    import Lanyard
    import Testing

    /// The Bumble meter; see Peers/profiles/meter.py.
    private struct Meter: AccessoryProfile {
        static let kind = "meter"
        static let service: BluetoothID = "1808"

        let records = ControlPoint<RecordAccessCommand>()
        let measurements = Subscribed<Data>("2A18")
        let heart = ControlPoint<HeartRateControlPoint>(in: "180D")

        static func configure(_ description: inout AccessoryDescription) {
            // Peers are processes on a busy machine.
            description.timeouts.scanning = .seconds(60)
            description.timeouts.connecting = .seconds(30)
        }
    }

    /// Control points of a third-party accessory.
    @Suite(.needsPeers) struct BumbleControlPointTests {
        private typealias Failure = ControlPointError<RecordAccessCommand.Refusal>

        @Test("Row 19: Procedures of a Bumble meter return their typed answers, and can be aborted")
        func procedures() async throws {
            try await withBoxFixture { fixture in
                _ = try await fixture.accessory("meter")
                let central = AccessoryCentral(
                    for: [Meter.description],
                    configuration: try fixture.configuration()
                )
                let meter = try await central.accessory(Meter.self)
                let records = try meter.accessory.values(of: "2A18")
                try await meter.heart.perform(.resetEnergyExpended)
                #expect(try await meter.records.count(.all) == 5)
                #expect(try await meter.records.count(.from(3)) == 2)
                #expect(try await meter.records.perform(.report(.through(1))) == .done)
                // The records have arrived before the answer.
                var numbers: [UInt8] = []
                for await record in records {
                    numbers.append(record[record.startIndex + 1])
                    if numbers.count == 2 { break }
                }
                #expect(numbers == [0, 1])
                await #expect(throws: Failure.refused(.noRecordsFound)) {
                    try await meter.records.perform(.report(.from(9)))
                }
                await #expect(throws: Failure.refused(.operatorNotSupported)) {
                    try await meter.records.count(.last)
                }
                await #expect(throws: Failure.refused(.opCodeNotSupported)) {
                    try await meter.records.perform(.delete(.all))
                }
                let report = Task { try await meter.records.perform(.report(.all)) }
                // The report is under way when its last record arrives.
                numbers = []
                for await record in records {
                    numbers.append(record[record.startIndex + 1])
                    if numbers.count == 5 { break }
                }
                let count = Task { try await meter.records.count(.all) }
                #expect(try await meter.records.perform(.abort) == .done)
                await #expect(throws: Failure.aborted) { try await report.value }
                #expect(try await count.value == 5)
                await central.shutDown()
            }
        }
    }
#endif
