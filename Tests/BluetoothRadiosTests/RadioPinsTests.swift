// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Testing

@testable import BluetoothRadios

@Suite("The radios that a person has chosen")
struct RadioPinsTests {
    /// Makes a choice and expects that it succeeds or fails.
    private func set(
        _ name: String?,
        for peer: PeerIdentifier,
        in pins: inout RadioPins,
        succeeds: Bool = true
    ) {
        let hasSucceeded = pins.set(name, for: peer)
        #expect(hasSucceeded == succeeds)
    }

    private static let peer = PeerIdentifier(bytes: [1, 2, 3])
    private static let other = PeerIdentifier(bytes: [4])

    @Test("A record is read as it was written")
    func roundTrip() {
        var pins = RadioPins()
        #expect(pins.bytes == nil)
        set("tcp:192.0.2.1:9000", for: Self.peer, in: &pins)
        set("unix:/run/a b", for: Self.other, in: &pins)
        #expect(RadioPins(pins.bytes) == pins)
        set(nil, for: Self.peer, in: &pins)
        #expect(RadioPins(pins.bytes).names == [Self.other: "unix:/run/a b"])
    }

    @Test("A damaged record contains the choices that can be read")
    func damaged() {
        let text = "\nx y\n\(Self.peer)\n\(Self.peer) \n\(Self.other) hci1\n"
        #expect(RadioPins(Array(text.utf8)).names == [Self.other: "hci1"])
        #expect(RadioPins([0xFF, 0xFE, 0x0A]).names.isEmpty)
    }

    @Test("A name of two lines, an empty name and a choice beyond the limit are refused")
    func bounds() {
        var pins = RadioPins()
        set("a\nb", for: Self.peer, in: &pins, succeeds: false)
        set("", for: Self.peer, in: &pins, succeeds: false)
        for number in 0..<RadioPins.limit {
            let bytes = [UInt8(number & 0xFF), UInt8(number >> 8)]
            set("hci0", for: PeerIdentifier(bytes: bytes), in: &pins)
        }
        set("hci0", for: PeerIdentifier(bytes: [9, 9, 9, 9]), in: &pins, succeeds: false)
        set("hci1", for: PeerIdentifier(bytes: [0, 0]), in: &pins)
        #expect(RadioPins(pins.bytes).names.count == RadioPins.limit)
    }

    @Test("The core ignores a radio that no longer exists")
    func recalls() {
        var pins = RadioPins()
        set("hci1", for: Self.peer, in: &pins)
        set("hci7", for: Self.other, in: &pins)
        var core = RadioCore(radioCount: 2)
        core.pin(pins, names: ["hci0", "hci1"])
        #expect(core.pins == [Self.peer: 1])
    }
}
