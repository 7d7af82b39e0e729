// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Foundation
import Lanyard
import VirtualAccessories
import VirtualRadio

@testable import ExampleKiosk
@testable import LanyardTesting

/// A badge of Examples/Kiosk on the virtual radio, which answers sealed notes.
struct KernelBadge: Sendable {
    static let encryption = Array(0..<16) as [UInt8]
    static let authentication = Array(16..<32) as [UInt8]

    private static let input: BluetoothID = "4C414E59-4152-4400-A000-000000001F01"
    private static let output: BluetoothID = "4C414E59-4152-4400-A000-000000001F02"

    private let record = WriteRecord()

    /// All bytes that were written to the badge.
    var written: Data { record.values(of: Self.input).reduce(into: Data()) { $0 += $1 } }

    /// Adds the badge with this number to the virtual radio, switched on.
    init(_ number: Int, in fixture: KernelFixture) async throws {
        let sealing = try AuthenticatedCBCSealing(
            encryption: SealingKey(Data(Self.encryption)),
            authentication: SealingKey(Data(Self.authentication))
        )
        let badge = VirtualAccessory(
            "Badge \(number)",
            services: [
                .jsonMessages(
                    Badge.service,
                    writing: Self.input,
                    notifying: Self.output,
                    sealing: sealing
                ) { (note: Note) in Note(text: "Badge \(number) read \(note.text)") }
            ],
            advertisedServices: [Badge.service],
            manufacturerData: [0xFF, 0xFF, 0, 0, 0, UInt8(number)]
        )
        try await fixture.kernelAir.add(badge.profile(noting: record), named: badge.name)
    }
}
