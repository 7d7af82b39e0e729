// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Testing

@testable import BluetoothHCI

@Suite("Packet descriptions") struct DescriptionTests {
    private func describe(_ h4: String) throws -> String {
        let bytes = try #require([UInt8](hexadecimal: h4))
        return HCI.describe(try HCI.Packet(h4: bytes[...]))
    }

    @Test("The description names a command and its fields") func command() throws {
        #expect(try describe("01030c00") == "Reset")
        #expect(
            try describe("010c20020100")
                == "LE Set Scan Enable: isEnabled=true, filtersDuplicates=false"
        )
    }

    @Test("The description includes the return parameters of a command")
    func commandComplete() throws {
        #expect(
            try describe("040e07010514004000c4")
                == "Command Complete: Read RSSI, status=success, connectionHandle=0x0040, rssi=-60"
        )
        #expect(
            try describe("040e0401051412")
                == "Command Complete: Read RSSI, status=invalid HCI command parameters"
        )
        #expect(
            try describe("040e0601051400aabb")
                == "Command Complete: Read RSSI, status=success, aabb"
        )
        #expect(
            try describe("040e050101fc0007")
                == "Command Complete: 0xFC01, status=success, 07"
        )
        #expect(try describe("040e03010000") == "Command Complete: No Operation, no status")
    }

    @Test("The description covers nested structures and lists") func nested() throws {
        #expect(
            HCI.describe(EventSample.advertising[0].event)
                == "LE Advertising Report: [(type=ADV_IND, address=C4:F0:00:00:00:01 (random), "
                + "data=020106, rssi=-60), (type=SCAN_RSP, address=00:00:00:00:00:07 (public), "
                + "data=, rssi=127)]"
        )
        let preference = HCI.PHYPreference(transmit: .le2M, receive: nil)
        #expect(FieldPrinter.fields(of: preference) == "transmit=2M, receive=none")
    }

    @Test("Unknown packets are described in hexadecimal") func unknown() throws {
        #expect(try describe("0101fc020102") == "Command 0xFC01: 0102")
        #expect(try describe("04ff020102") == "Event Vendor Specific: 0102")
        #expect(try describe("043e027f09") == "LE event 0x7F: 09")
        #expect(try describe("0302000103") == "Synchronous data: 02000103")
    }

    @Test("The description of data includes its boundary flag") func acl() throws {
        #expect(try describe("0240200300010203") == "ACL 0x0040 first: 3 bytes 010203")
        #expect(try describe("0240100000") == "ACL 0x0040 continuing: 0 bytes")
    }

    @Test("The description omits keys, even in malformed commands") func secrets() throws {
        let reply = HCI.LELongTermKeyRequestReply(
            connectionHandle: Sample.link,
            longTermKey: Sample.key
        )
        let whole = HCI.describe(
            .command(opcode: .leLongTermKeyRequestReply, parameters: reply.encodedParameters[...])
        )
        #expect(
            whole
                == "LE Long Term Key Request Reply: connectionHandle=0x0040, longTermKey=(secret)"
        )
        let cut = HCI.describe(
            .command(
                opcode: .leLongTermKeyRequestReply,
                parameters: reply.encodedParameters.dropLast()
            )
        )
        #expect(!cut.contains("0102"))
        #expect(cut.contains("malformed"))
        // The sample of a public key is not secret, but begins like the sample of a key.
        for sample in CommandSample.all
        where !(sample.command is HCI.LEGenerateDHKey || sample.command is HCI.LEGenerateDHKeyV2) {
            let line = HCI.describe(
                .command(
                    opcode: type(of: sample.command).opcode,
                    parameters: sample.command.encodedParameters[...]
                )
            )
            #expect(!line.contains(Sample.key.bytes.hexadecimal))
        }
    }

    @Test("The description reports a malformed event") func malformed() throws {
        #expect(try describe("04050100").hasPrefix("Event Disconnection Complete: malformed"))
    }

    @Test("Every description begins with the name of the command or event") func everything() {
        for sample in CommandSample.all {
            let opcode = type(of: sample.command).opcode
            let line = HCI.describe(
                .command(opcode: opcode, parameters: sample.command.encodedParameters[...])
            )
            #expect(line.hasPrefix("\(opcode)"))
        }
        for sample in EventSample.all {
            let (code, subevent) = sample.event.codes
            let line = HCI.describe(sample.event.packet)
            #expect(line.hasPrefix(subevent.map { "\($0)" } ?? "\(code)"))
        }
    }
}
