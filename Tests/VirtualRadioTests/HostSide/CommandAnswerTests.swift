// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes
import LanyardTestSupport
import Testing

@testable import VirtualRadio

/// Every supported command of a controller, in the order of the opcodes.
private let offered = CommandTable.handlers.keys.sorted { $0.rawValue < $1.rawValue }

@Suite("Answers to commands") struct CommandAnswerTests {
    /// Returns the command whose parameters are as few zeros as possible, and the number of zeros.
    private func wellFormed(_ opcode: HCI.Opcode) throws -> (length: Int, any HCICommand) {
        for length in 0...255 {
            let zeros = [UInt8](repeating: 0, count: length)
            if let command = try? HCI.command(opcode: opcode, parameters: zeros[...]) {
                return (length, command)
            }
        }
        throw HCI.ErrorCode.unknownCommand
    }

    /// Returns whether the command, and therefore its answer, has the handle of a link.
    private func hasLink(_ command: any HCICommand) -> Bool {
        Mirror(reflecting: command).children.first?.label == "connectionHandle"
    }

    private func packet(_ opcode: HCI.Opcode, _ parameters: [UInt8]) -> [UInt8] {
        HCI.Packet.command(opcode: opcode, parameters: parameters[...]).h4Bytes
    }

    /// Returns the answers among events: the opcode, the status and the other return parameters.
    private func answers(
        _ events: [HCI.Event]
    ) -> [(opcode: HCI.Opcode, status: UInt8, rest: ArraySlice<UInt8>)] {
        events.compactMap { event in
            switch event {
            case .commandComplete(let event):
                (
                    event.opcode, event.returnParameters.first ?? 0xFF,
                    event.returnParameters.dropFirst()
                )
            case .commandStatus(let event): (event.opcode, event.status.rawValue, [])
            default: nil
            }
        }
    }

    @Test("A command with too few or too many parameters is refused with 0x12", arguments: offered)
    func wrongLength(opcode: HCI.Opcode) throws {
        let host = try RawHost(World(seed: 1))
        let (length, _) = try wellFormed(opcode)
        for wrong in Array(0..<length) + [length + 1] {
            host.forget()
            host.send(packet(opcode, [UInt8](repeating: 0, count: wrong)))
            let answers = answers(host.events)
            #expect(answers.count == 1 && host.events.count == 1)
            #expect(answers.first?.opcode == opcode)
            #expect(answers.first?.status == 0x12)
        }
    }

    @Test(
        "A command with random parameters is answered exactly once, before other events",
        arguments: offered,
        RunSeed.seeds(1)
    )
    func random(opcode: HCI.Opcode, seed: UInt64) throws {
        let host = try RawHost(World(seed: 1))
        var generator = SplitMix64(seed: seed)
        let (length, _) = try wellFormed(opcode)
        for round in 0..<200 {
            let count =
                round.isMultiple(of: 4) ? Int.random(in: 0...255, using: &generator) : length
            host.forget()
            host.send(packet(opcode, generator.bytes(count)))
            let answers = answers(host.events)
            if opcode == .hostNumberOfCompletedPackets, answers.isEmpty { continue }
            #expect(answers.map(\.opcode) == [opcode])
            #expect(host.events.first.map { self.answers([$0]).count } == 1)
        }
    }

    @Test(
        "A refused command is answered with all return parameters and the link",
        arguments: offered
    )
    func refused(opcode: HCI.Opcode) throws {
        let (length, command) = try wellFormed(opcode)
        guard let command = command as? any CommandCompleteCommand else { return }
        func decode<Command: CommandCompleteCommand>(
            _ command: Command,
            _ bytes: ArraySlice<UInt8>
        ) throws -> [UInt8] {
            try Command.ReturnParameters(parsing: bytes).encodedParameters
        }
        let host = try RawHost(World(seed: 1))
        var parameters = [UInt8](repeating: 0, count: length + 1)
        parameters.replaceSubrange(0..<min(2, length), with: [0x23, 0x01].prefix(length))
        host.send(packet(opcode, parameters))
        let answer = try #require(answers(host.events).first)
        #expect(answer.status == 0x12)
        let decoded = try decode(command, answer.rest)
        let namesLink = decoded.count > 1 && hasLink(command)
        if namesLink { #expect(decoded.prefix(2) == [0x23, 0x01]) }
        #expect(decoded.dropFirst(namesLink ? 2 : 0).allSatisfy { $0 == 0 })
    }

    @Test(
        "An unknown, unsupported, or BR/EDR command is refused with 0x01",
        arguments: [
            0x0000, 0x0401, 0x0C13, 0x0C56, 0x1004, 0x201D, 0x2033, 0x2074, 0xFC01, 0xFFFF,
        ] as [UInt16]
    )
    func unknown(opcode: UInt16) throws {
        let host = try RawHost(World(seed: 1))
        let opcode = HCI.Opcode(rawValue: opcode)
        let answer = try host.answer(to: packet(opcode, [1, 2, 3]))
        #expect(answer == .begun(opcode, .unknownCommand))
    }

    @Test(
        "A command is in the mask of supported commands if and only if it is implemented",
        arguments: [true, false]
    )
    func mask(isOld: Bool) throws {
        var configuration = ControllerConfiguration()
        configuration.isOld = isOld
        let commands = CommandTable.commands(offeredBy: configuration)
        for opcode in offered {
            let host = try RawHost(World(seed: 1), configuration)
            host.send(packet(opcode, [UInt8](repeating: 0xEE, count: 255)))
            let isKnown = answers(host.events).first?.status != 0x01
            // This command has no bit in the mask, because reading the mask requires it.
            if opcode == .readLocalSupportedCommands { continue }
            #expect(commands.contains(opcode) == isKnown, "\(opcode)")
        }
        #expect(commands.contains(.leSetPHY) == !isOld)
        #expect(!commands.contains(HCI.Opcode(rawValue: 0x201D)), "The mask has no test commands")
    }

    @Test("Each answer allows one more command") func allowedCommands() throws {
        let host = try RawHost(World(seed: 1))
        host.send(HCI.Reset())
        host.send(packet(HCI.Opcode(rawValue: 0xFFFF), []))
        guard case .commandComplete(let complete) = host.events.first,
            case .commandStatus(let status) = host.events.last
        else {
            Issue.record("\(host.events)")
            return
        }
        #expect((complete.allowedPackets, status.allowedPackets) == (1, 1))
    }

    @Test("Commands are answered in order") func order() throws {
        let host = try RawHost(World(seed: 1))
        let reset = packet(.reset, [])
        let unknown = packet(HCI.Opcode(rawValue: 0xFFFF), [])
        host.send(reset + unknown + reset)
        #expect(answers(host.events).map(\.opcode.rawValue) == [0x0C03, 0xFFFF, 0x0C03])
    }

    @Test("A command is answered before the event that it causes") func cause() throws {
        let host = try RawHost(World(seed: 1))
        host.send(HCI.SetEventMask(mask: [.leMeta]))
        let interval = HCI.ConnectionInterval(rawValue: 24)
        host.send(
            HCI.LECreateConnection(
                scanInterval: HCI.ScanInterval(rawValue: 16),
                scanWindow: HCI.ScanInterval(rawValue: 16),
                filterPolicy: .peerAddress,
                peerAddress: HCI.PeerAddress(type: .public, value: 1),
                ownAddressType: .public,
                parameters: HCI.ConnectionParameters(
                    intervalMinimum: interval,
                    intervalMaximum: interval,
                    supervisionTimeout: HCI.Timeout(rawValue: 100)
                )
            )
        )
        host.forget()
        host.send(HCI.LECreateConnectionCancel())
        #expect(host.events.count == 2)
        #expect(host.events.first == .completed(.leCreateConnectionCancel, [0]))
        guard case .connectionComplete(let event) = host.events.last else {
            Issue.record("No Connection Complete: \(host.events)")
            return
        }
        #expect(event.status == .unknownConnectionIdentifier)
    }

    @Test(
        "The startup commands of other hosts are supported",
        arguments: [
            // The commands of Linux, Zephyr, NimBLE, BTstack and Bumble without BR/EDR links.
            .reset, .readLocalVersionInformation, .readLocalSupportedCommands,
            .readLocalSupportedFeatures, .readBDAddress, .readBufferSize, .setEventMask,
            .setEventMaskPage2, .writeLEHostSupport, .leSetEventMask, .leReadBufferSize,
            .leReadBufferSizeV2, .leReadLocalSupportedFeatures, .leReadSupportedStates,
            .leReadAdvertisingPhysicalChannelTxPower, .leReadTransmitPower,
            .leReadFilterAcceptListSize, .leClearFilterAcceptList, .leReadResolvingListSize,
            .leClearResolvingList, .leSetResolvablePrivateAddressTimeout,
            .leSetAddressResolutionEnable, .leReadMaximumDataLength,
            .leReadSuggestedDefaultDataLength, .leWriteSuggestedDefaultDataLength,
            .leReadNumberOfSupportedAdvertisingSets, .leReadMaximumAdvertisingDataLength,
            .leSetDefaultPHY, .leSetRandomAddress, .leRand, .leEncrypt,
            .setControllerToHostFlowControl, .hostBufferSize,
        ] as [HCI.Opcode]
    )
    func foreignStartup(opcode: HCI.Opcode) {
        #expect(CommandTable.handler(of: opcode, in: ControllerConfiguration()) != nil)
    }
}
