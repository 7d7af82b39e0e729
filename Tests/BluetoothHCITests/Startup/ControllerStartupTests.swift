// SPDX-License-Identifier: Apache-2.0

import BluetoothTypes
import Testing

@testable import BluetoothHCI

/// A controller that answers startup, and records a failure if it receives a command that it does
/// not list.
struct ScriptedController {
    /// The command that reads the list of supported commands. The list has no bit for this command
    /// itself.
    static let unlisted: Set<HCI.Opcode> = [.readLocalSupportedCommands]

    var commands: Set<HCI.Opcode>
    var answers: [HCI.Opcode: CommandResult] = [:]
    private(set) var received: [HCI.EncodedCommand] = []

    /// Creates a controller that supports all commands except `missing`.
    init(without missing: Set<HCI.Opcode> = []) {
        commands = Set(HCI.commandTypesByOpcode.keys).subtracting(missing)
        answer(HCI.Reset.self, .init())
        answer(
            HCI.ReadLocalVersionInformation.self,
            .init(
                hciVersion: .core5_3,
                hciSubversion: 1,
                linkLayerVersion: .core5_3,
                company: 0xFFFF,
                linkLayerSubversion: 2
            )
        )
        answer(HCI.ReadLocalSupportedCommands.self, .init(commands: .init(commands)))
        answer(HCI.ReadLocalSupportedFeatures.self, .init(features: [.leSupported]))
        answer(
            HCI.LEReadLocalSupportedFeatures.self,
            .init(features: [.encryption, .extendedAdvertising, .dataPacketLengthExtension])
        )
        answer(
            HCI.LEReadBufferSizeV2.self,
            .init(
                aclPacketLength: 251,
                aclPacketCount: 8,
                isochronousPacketLength: 0,
                isochronousPacketCount: 0
            )
        )
        answer(HCI.LEReadBufferSize.self, .init(aclPacketLength: 27, aclPacketCount: 20))
        answer(
            HCI.ReadBufferSize.self,
            .init(
                aclPacketLength: 1021,
                synchronousPacketLength: 0,
                aclPacketCount: 9,
                synchronousPacketCount: 0
            )
        )
        answer(HCI.ReadBDAddress.self, .init(address: .init(value: 0x0102_0304_0506)))
        answer(HCI.LEReadSupportedStates.self, .init(states: .activeScanningAndInitiating))
        answer(HCI.LEReadFilterAcceptListSize.self, .init(size: 16))
        answer(HCI.LEReadResolvingListSize.self, .init(size: 12))
        answer(
            HCI.LEReadMaximumDataLength.self,
            .init(
                transmitBytes: 251,
                transmitTime: .init(rawValue: 2120),
                receiveBytes: 251,
                receiveTime: .init(rawValue: 2120)
            )
        )
        answer(HCI.LEReadMaximumAdvertisingDataLength.self, .init(length: 1650))
        answer(HCI.LEReadNumberOfSupportedAdvertisingSets.self, .init(count: 16))
    }

    /// Sets the response to a command.
    mutating func answer<Command: CommandCompleteCommand>(
        _ command: Command.Type,
        _ parameters: Command.ReturnParameters
    ) {
        answers[Command.opcode] = .complete([0] + parameters.encodedParameters)
    }

    mutating func receive(_ command: HCI.EncodedCommand) -> CommandResult {
        received.append(command)
        let isKnown = commands.contains(command.opcode) || Self.unlisted.contains(command.opcode)
        if !isKnown { Issue.record("\(command.opcode) is not supported") }
        return answers[command.opcode] ?? .complete([0])
    }

    func parameters(of opcode: HCI.Opcode) -> [UInt8]? {
        received.last { $0.opcode == opcode }?.parameters
    }
}

@Suite("Controller startup") struct ControllerStartupTests {
    static let randomAddress = DeviceAddress(value: 0xC400_0000_0001, kind: .random)

    /// Runs startup to its end.
    private func run(
        _ controller: inout ScriptedController,
        randomAddress: DeviceAddress? = randomAddress
    ) throws -> ControllerStartup.Progress {
        var startup = ControllerStartup(randomAddress: randomAddress)
        for _ in 0..<50 {
            let command = try #require(startup.next())
            let progress = startup.finished(controller.receive(command))
            guard case .continue = progress else {
                #expect(startup.next() == nil)
                return progress
            }
        }
        Issue.record("Startup does not end")
        return .failed(.noBuffers)
    }

    private func capabilities(
        _ controller: inout ScriptedController,
        randomAddress: DeviceAddress? = randomAddress
    ) throws -> ControllerCapabilities {
        guard case .ready(let capabilities) = try run(&controller, randomAddress: randomAddress)
        else { throw CommandFailure.malformed }
        return capabilities
    }

    @Test("Startup reads all capabilities of the controller") func everything() throws {
        var controller = ScriptedController()
        let capabilities = try capabilities(&controller)
        #expect(capabilities.version.hciVersion == .core5_3)
        #expect(capabilities.aclPacketLength == 251)
        #expect(capabilities.aclPacketCount == 8)
        #expect(capabilities.publicAddress?.description == "01:02:03:04:05:06")
        #expect(capabilities.randomAddress == Self.randomAddress)
        #expect(capabilities.filterAcceptListSize == 16)
        #expect(capabilities.resolvingListSize == 12)
        #expect(capabilities.maximumDataLength?.transmitBytes == 251)
        #expect(capabilities.maximumAdvertisingDataLength == 1650)
        #expect(capabilities.advertisingSetCount == 16)
        #expect(capabilities.states == .activeScanningAndInitiating)
        #expect(capabilities.supportsExtendedScanning)
        #expect(capabilities.supportsExtendedInitiating)
        #expect(capabilities.supportsExtendedAdvertising)
        #expect(capabilities.supports(HCI.LESetPHY.self))
    }

    @Test("Startup begins with Reset and reads the supported commands before it uses others")
    func order() throws {
        var controller = ScriptedController()
        _ = try run(&controller)
        let opcodes = controller.received.map(\.opcode)
        #expect(
            opcodes.prefix(3)
                == [.reset, .readLocalVersionInformation, .readLocalSupportedCommands]
        )
        #expect(Set(opcodes).count == opcodes.count, "No command is sent twice")
    }

    @Test("Startup sends optional commands only if the controller lists them")
    func missingCommands() throws {
        let required: Set<HCI.Opcode> = [
            .reset, .readLocalVersionInformation, .readLocalSupportedCommands,
        ]
        for missing in Set(HCI.commandTypesByOpcode.keys).subtracting(required) {
            var controller = ScriptedController(without: [missing])
            _ = try capabilities(&controller)
            #expect(!controller.received.map(\.opcode).contains(missing))
        }
    }

    @Test("Startup tolerates refused and unanswered optional commands") func refusals() throws {
        let results: [CommandResult] = [
            .complete([1]), .status(.unknownCommand), .timedOut, .complete([0]), .complete([]),
        ]
        let optional: [HCI.Opcode] = [
            .readLocalSupportedFeatures, .leReadLocalSupportedFeatures, .leReadBufferSizeV2,
            .readBDAddress, .setEventMask, .setEventMaskPage2, .writeLEHostSupport,
            .leSetEventMask, .leReadSupportedStates, .leSetRandomAddress,
            .leReadFilterAcceptListSize, .leReadResolvingListSize, .leReadMaximumDataLength,
            .leWriteSuggestedDefaultDataLength, .leReadMaximumAdvertisingDataLength,
            .leReadNumberOfSupportedAdvertisingSets,
        ]
        for opcode in optional {
            for result in results {
                var controller = ScriptedController()
                controller.answers[opcode] = result
                _ = try capabilities(&controller)
            }
        }
    }

    @Test("Startup fails without its required commands") func required() throws {
        let required: [HCI.Opcode] = [
            .reset, .readLocalVersionInformation, .readLocalSupportedCommands,
        ]
        for opcode in required {
            var controller = ScriptedController()
            controller.answers[opcode] = .complete([3])
            #expect(
                try run(&controller)
                    == .failed(.commandFailed(opcode, .refused(.hardwareFailure)))
            )
            controller.answers[opcode] = .timedOut
            #expect(try run(&controller) == .failed(.commandFailed(opcode, .timedOut)))
        }
    }

    @Test("A failed startup is described in words") func descriptions() {
        let failures: [CommandFailure] = [
            .refused(.unknownCommand), .timedOut, .discarded, .malformed,
        ]
        let descriptions = failures.map { "\(StartupError.commandFailed(.reset, $0))" }
        #expect(
            descriptions == [
                "it refused the command Reset: unknown HCI command",
                "it did not answer the command Reset",
                "the command Reset was not sent",
                "its answer to the command Reset is malformed",
            ]
        )
        #expect("\(StartupError.noBuffers)" == "it reports no buffers for data")
    }

    @Test("Startup ends at once if its queue discards a command") func discarded() throws {
        var controller = ScriptedController()
        controller.answers[.leReadSupportedStates] = .discarded
        #expect(
            try run(&controller) == .failed(.commandFailed(.leReadSupportedStates, .discarded))
        )
    }

    @Test("Startup reads the buffer sizes from the first command that reports any buffers")
    func buffers() throws {
        var controller = ScriptedController(without: [.leReadBufferSizeV2])
        #expect(try capabilities(&controller).aclPacketLength == 27)
        #expect(try capabilities(&controller).aclPacketCount == 20)

        controller = ScriptedController(without: [.leReadBufferSizeV2])
        controller.answer(HCI.LEReadBufferSize.self, .init(aclPacketLength: 0, aclPacketCount: 0))
        #expect(try capabilities(&controller).aclPacketLength == 1021)
        #expect(try capabilities(&controller).aclPacketCount == 9)
    }

    @Test("Startup fails if the controller has no buffers") func noBuffers() throws {
        let buffers: Set<HCI.Opcode> = [.leReadBufferSizeV2, .leReadBufferSize, .readBufferSize]
        var controller = ScriptedController(without: buffers)
        #expect(try run(&controller) == .failed(.noBuffers))

        controller = ScriptedController(without: [.leReadBufferSizeV2, .readBufferSize])
        controller.answer(HCI.LEReadBufferSize.self, .init(aclPacketLength: 27, aclPacketCount: 0))
        #expect(try run(&controller) == .failed(.noBuffers))
    }

    @Test("Startup sets no random address if none is configured") func noRandomAddress() throws {
        var controller = ScriptedController()
        #expect(try capabilities(&controller, randomAddress: nil).randomAddress == nil)
        #expect(controller.parameters(of: .leSetRandomAddress) == nil)
    }

    @Test("An all-zero public address counts as no address") func noPublicAddress() throws {
        var controller = ScriptedController()
        controller.answer(HCI.ReadBDAddress.self, .init(address: .init(value: 0)))
        #expect(try capabilities(&controller).publicAddress == nil)
    }

    @Test("Startup enables only LE events that the controller supports")
    func leEventMask() throws {
        let later: Set<HCI.Opcode> = [
            .leSetDataLength, .leSetPHY, .leReadLocalP256PublicKey, .leGenerateDHKey,
            .leRemoteConnectionParameterRequestReply, .leSetAddressResolutionEnable,
            .leSetExtendedScanEnable, .leExtendedCreateConnection,
            .leSetExtendedAdvertisingEnable,
        ]
        var controller = ScriptedController(without: later)
        _ = try run(&controller)
        #expect(controller.parameters(of: .leSetEventMask) == [0x1F, 0, 0, 0, 0, 0, 0, 0])

        controller = ScriptedController()
        _ = try run(&controller)
        #expect(controller.parameters(of: .leSetEventMask) == [0xFF, 0x1B, 0x07, 0, 0, 0, 0, 0])
    }

    @Test("Startup sets the longest packets as the default of new links")
    func defaultDataLength() throws {
        var controller = ScriptedController()
        _ = try run(&controller)
        #expect(
            controller.parameters(of: .leWriteSuggestedDefaultDataLength)
                == [0xFB, 0, 0x48, 0x08]
        )
    }
}

@Suite("Supported commands") struct SupportedCommandsTests {
    @Test("Each command is found at its byte and bit") func positions() throws {
        var bytes = [UInt8](repeating: 0, count: 64)
        bytes[26] = 0b0000_1000
        bytes[41] = 0b0010_0000
        let commands = try HCI.SupportedCommands(parsing: bytes[...])
        #expect(commands.contains(.leSetScanEnable))
        #expect(commands.contains(.leReadBufferSizeV2))
        #expect(!commands.contains(.leSetScanParameters))
        #expect(!commands.contains(HCI.Opcode(rawValue: 0xFC01)))
        #expect(commands == HCI.SupportedCommands([.leSetScanEnable, .leReadBufferSizeV2]))
        #expect(commands.encodedParameters == bytes)
        #expect("\(commands)" == "2 commands")
    }

    @Test("Each command has its own bit, except for the command that reads the list")
    func completeness() {
        let positions = HCI.SupportedCommands.positions
        #expect(Set(positions.values.map { $0.byte * 8 + Int($0.bit) }).count == positions.count)
        #expect(positions.values.allSatisfy { $0.byte < HCI.SupportedCommands.length })
        let placed = Set(positions.keys).union([.readLocalSupportedCommands])
        #expect(placed == Set(HCI.commandTypesByOpcode.keys))
    }
}
