// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import LanyardTestSupport
import Testing

@testable import BluetoothHCI

@Suite("Results of a command") struct CommandResultTests {
    @Test("A successful result decodes to the return parameters") func success() throws {
        let version = try CommandResult.complete([0, 12, 0x34, 0x12, 12, 0x5D, 0, 0x78, 0x56])
            .decode(as: HCI.ReadLocalVersionInformation.self)
        #expect(version.hciVersion == .core5_3)
        #expect(version.hciSubversion == 0x1234)
        #expect(version.company == 0x005D)
        #expect(version.linkLayerSubversion == 0x5678)
    }

    @Test("A failure status is a refusal, regardless of the bytes that follow") func refusal() {
        let failure = CommandFailure.refused(.commandDisallowed)
        #expect(throws: failure) {
            try CommandResult.complete([0x0C]).decode(as: HCI.LERand.self)
        }
        #expect(throws: failure) {
            try CommandResult.complete([0x0C, 0, 0, 0]).decode(as: HCI.LERand.self)
        }
        #expect(throws: failure) {
            try CommandResult.status(.commandDisallowed).decode(as: HCI.LERand.self)
        }
        #expect(throws: failure) { try CommandResult.status(.commandDisallowed).requireSuccess() }
        #expect(throws: failure) { try CommandResult.complete([0x0C]).requireSuccess() }
    }

    @Test("A success without the return parameters is malformed") func malformed() {
        for bytes: ArraySlice<UInt8> in [[], [0], [0, 1, 2, 3, 4, 5, 6, 7]] {
            #expect(throws: CommandFailure.malformed) {
                try CommandResult.complete(bytes).decode(as: HCI.LERand.self)
            }
        }
        #expect(throws: CommandFailure.malformed) {
            try CommandResult.status(.success).decode(as: HCI.LERand.self)
        }
        #expect(throws: CommandFailure.malformed) {
            try CommandResult.complete([]).requireSuccess()
        }
    }

    @Test("Bytes after the known return parameters are ignored, since later versions may add them")
    func additions() throws {
        let answer = CommandResult.complete([0, 1, 0, 0, 0, 0, 0, 0, 0, 0xAA])
        #expect(try answer.decode(as: HCI.LERand.self).random == 1)
    }

    @Test("A result without a response throws the reason") func noAnswer() {
        #expect(throws: CommandFailure.timedOut) { try CommandResult.timedOut.requireSuccess() }
        #expect(throws: CommandFailure.discarded) { try CommandResult.discarded.requireSuccess() }
    }

    @Test("A success in Command Status or Command Complete is accepted") func accepted() throws {
        try CommandResult.status(.success).requireSuccess()
        try CommandResult.complete([0]).requireSuccess()
    }
}

@Suite("Return parameters of commands") struct ReturnParametersTests {
    @Test("Return parameters survive a round trip and refuse every shorter and longer length")
    func roundTrip() throws {
        var generator = SplitMix64(seed: 2)
        func check<Command: CommandCompleteCommand>(_: Command.Type) throws {
            typealias Answer = Command.ReturnParameters
            let zeros = [UInt8](repeating: 0, count: 100)
            let length = try #require(
                (0...100).first { (try? Answer(parsing: zeros[..<$0])) != nil }
            )
            let bytes = generator.bytes(length)
            let answer = try Answer(parsing: bytes[...])
            #expect(try Answer(parsing: answer.encodedParameters[...]) == answer)
            #expect(answer.encodedParameters.count == length)
            for shorter in 0..<length {
                #expect(throws: MalformedBytes.self) { try Answer(parsing: bytes[..<shorter]) }
            }
            #expect(throws: MalformedBytes.trailing(count: 1)) {
                try Answer(parsing: bytes + [0])
            }
        }
        for type in HCI.commandTypesByOpcode.values {
            if let type = type as? any CommandCompleteCommand.Type { try check(type) }
        }
    }

    @Test("Return parameters of a few commands decode from known bytes") func vectors() throws {
        let buffers = try CommandResult.complete([0, 0xFB, 0, 8, 0x3C, 0, 4])
            .decode(as: HCI.LEReadBufferSizeV2.self)
        #expect(buffers.aclPacketLength == 251)
        #expect(buffers.aclPacketCount == 8)
        #expect(buffers.isochronousPacketLength == 60)
        #expect(buffers.isochronousPacketCount == 4)

        let address = try CommandResult.complete([0, 1, 2, 3, 4, 5, 0xC6])
            .decode(as: HCI.ReadBDAddress.self).address
        #expect("\(address)" == "C6:05:04:03:02:01")

        let rssi = try CommandResult.complete([0, 0x40, 0, 0xC4]).decode(as: HCI.ReadRSSI.self)
        #expect(rssi.rssi == -60)

        let length = try CommandResult.complete([0, 0xFB, 0, 0x90, 0x42, 0x1B, 0, 0x48, 1])
            .decode(as: HCI.LEReadMaximumDataLength.self)
        #expect(length.transmitTime.rawValue == 17040)
        #expect(length.receiveBytes == 27)
    }
}
