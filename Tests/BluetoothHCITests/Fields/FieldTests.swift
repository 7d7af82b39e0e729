// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Testing

@testable import BluetoothHCI

@Suite("Address fields") struct AddressFieldTests {
    @Test("An address field yields the device address with its kind") func deviceAddress() {
        let expected: [(HCI.AddressType, DeviceAddress.Kind?, Bool)] = [
            (.public, .public, false), (.random, .random, false),
            (.publicIdentity, .public, true), (.randomIdentity, .random, true),
            (.unresolved, .random, false), (.anonymous, nil, false),
            (HCI.AddressType(rawValue: 0x77), nil, false),
        ]
        for (type, kind, isIdentity) in expected {
            let address = HCI.PeerAddress(type: type, value: 0xC4F0_0000_0001)
            #expect(address.deviceAddress?.kind == kind, "\(type)")
            #expect(address.isIdentity == isIdentity, "\(type)")
        }
    }

    @Test("An address is encoded after its type, least significant byte first")
    func wireForm() throws {
        let address = try #require(DeviceAddress("C4:F0:00:00:00:01", kind: .random))
        let field = HCI.PeerAddress(address)
        #expect(field.encodedParameters == [1, 1, 0, 0, 0, 0xF0, 0xC4])
        #expect(field.deviceAddress == address)
        #expect("\(field)" == "C4:F0:00:00:00:01 (random)")
        #expect(HCI.BareAddress(address).deviceAddress(.random) == address)
    }

    @Test("An address field keeps only 48 bits") func width() {
        #expect(HCI.PeerAddress(type: .random, value: .max).value == 0xFFFF_FFFF_FFFF)
        #expect(HCI.BareAddress(value: .max).value == 0xFFFF_FFFF_FFFF)
    }
}

@Suite("Connection handles") struct ConnectionHandleTests {
    @Test("A connection handle has 12 bits") func width() {
        #expect(ConnectionHandle(rawValue: 0xF040) == ConnectionHandle(rawValue: 0x0040))
        #expect("\(ConnectionHandle(rawValue: 0x40))" == "0x0040")
    }
}

@Suite("Encoded durations") struct WireDurationTests {
    @Test("A duration is encoded in the unit of its field") func steps() {
        #expect(HCI.ConnectionInterval(.milliseconds(30)).rawValue == 24)
        #expect(HCI.ScanInterval(.milliseconds(60)).rawValue == 96)
        #expect(HCI.Timeout(.seconds(4)).rawValue == 400)
        #expect(HCI.ConnectionInterval(rawValue: 6).duration == .microseconds(7500))
    }

    @Test("A duration is rounded down and clamped to the range of its field") func limits() {
        #expect(HCI.ConnectionInterval(.microseconds(8749)).rawValue == 6)
        #expect(HCI.ConnectionInterval(.seconds(-1)).rawValue == 0)
        #expect(HCI.ConnectionInterval(.seconds(1_000_000)).rawValue == .max)
    }

    @Test("A duration prints in milliseconds without trailing zeros") func description() {
        #expect("\(HCI.ConnectionInterval(rawValue: 6))" == "7.5 ms")
        #expect("\(HCI.ScanInterval(rawValue: 1))" == "0.625 ms")
        #expect("\(HCI.AirTime(rawValue: 1005))" == "1.005 ms")
        #expect("\(HCI.Timeout(rawValue: 42))" == "420 ms")
        #expect("\(HCI.AdvertisingInterval(rawValue: 0x10020).duration)" == "40.98 seconds")
    }

    @Test("Durations are ordered by length") func order() {
        #expect(HCI.Timeout(rawValue: 1) < HCI.Timeout(rawValue: 2))
    }
}

@Suite("Bit sets") struct BitSetTests {
    @Test("A bit set prints the names of its bits, or a number if a bit has no name")
    func description() {
        #expect("\(HCI.PHYSet([.le1M, .coded]))" == "1M+Coded")
        #expect("\(HCI.PHYSet(rawValue: 0x81))" == "0x81")
        #expect("\(HCI.PHYSet([]))" == "0x00")
        #expect("\(HCI.LEFeatures.encryption)" == "0x0000000000000001")
        #expect("\(HCI.AdvertisingProperties([.connectable, .legacy]))" == "connectable+legacy")
    }

    @Test("A bit set keeps bits that have no name") func unknownBits() throws {
        let features = try HCI.LEFeatures(parsing: ArraySlice(repeating: 0xFF, count: 8))
        #expect(features.rawValue == .max)
    }
}

@Suite("Byte blocks of fixed length") struct FixedBytesTests {
    @Test("A block accepts only the number of bytes of its type") func count() {
        #expect(HCI.Block128([UInt8](1...15)) == nil)
        #expect(HCI.Block128([UInt8](1...17)) == nil)
        #expect(HCI.Block128([UInt8](1...16))?.bytes == Array(1...16))
        #expect(HCI.Coordinate256([UInt8](1...16)) == nil)
        #expect(HCI.SharedSecret256([UInt8](1...16)) == nil)
        #expect(HCI.Key128([UInt8](1...32)) == nil)
        #expect(HCI.Block128().bytes == [UInt8](repeating: 0, count: 16))
    }

    @Test("Secret blocks do not print their bytes") func secrets() throws {
        #expect("\(Sample.key)" == "(secret)")
        #expect("\(required(HCI.SharedSecret256(1...32)))" == "(secret)")
        #expect("\(Sample.block)" == "1112131415161718191a1b1c1d1e1f20")
    }
}

@Suite("Channel maps") struct ChannelMapTests {
    @Test("A channel map has 37 channels in five bytes") func width() throws {
        #expect(HCI.ChannelMap.all.encodedParameters == [0xFF, 0xFF, 0xFF, 0xFF, 0x1F])
        let map = try HCI.ChannelMap(parsing: [1, 0, 0, 0, 0xFF])
        #expect(map.rawValue == 0x1F_0000_0001)
        #expect("\(map)" == "6 channels (0x1F00000001)")
    }
}

@Suite("PHY preferences") struct PHYPreferenceTests {
    @Test("A missing PHY preference sets its bit of the first byte") func indifference() throws {
        let indifferent = HCI.PHYPreference(transmit: nil, receive: nil)
        #expect(indifferent.encodedParameters == [0b11, 0, 0])
        #expect(
            try HCI.PHYPreference(parsing: [0b10, 2, 7]) == .init(transmit: .le2M, receive: nil)
        )
    }

    @Test("Parameters per PHY are encoded in the order of the PHY bits") func perPHY() throws {
        let perPHY = HCI.PerPHY(le2M: HCI.Timeout(rawValue: 2), coded: HCI.Timeout(rawValue: 3))
        #expect(perPHY.encodedParameters == [0b110, 2, 0, 3, 0])
        #expect(try HCI.PerPHY(parsing: [0b110, 2, 0, 3, 0]) == perPHY)
        #expect(perPHY.phys == [.le2M, .coded])
    }
}

@Suite("HCI codes") struct CodeTests {
    @Test("A code prints its name, or its number if it has none") func names() {
        #expect(
            "\(HCI.ErrorCode.remoteUserTerminatedConnection)" == "remote user terminated connection"
        )
        #expect("\(HCI.ErrorCode(rawValue: 0xEE))" == "0xEE")
        #expect("\(HCI.Opcode.leSetScanEnable)" == "LE Set Scan Enable")
        #expect("\(HCI.Opcode(rawValue: 0xFC01))" == "0xFC01")
        #expect("\(HCI.EventCode.leMeta)" == "LE Meta")
        #expect("\(HCI.LESubeventCode(rawValue: 0x7F))" == "0x7F")
        #expect("\(HCI.Version.core5_4)" == "5.4")
    }
}
