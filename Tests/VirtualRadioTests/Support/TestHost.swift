// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothTypes
import Testing
import VirtualRadio

/// A host for tests. It sends commands to its own controller, and keeps the received packets.
final class TestHost {
    let world: World
    let id: ControllerID
    /// Every event since the last `forget`, except answers to `perform` and `status`.
    private(set) var events: [HCI.Event] = []
    /// The times of the events.
    private(set) var instants: [Instant] = []
    /// Every ACL packet since the last `forget`.
    private(set) var data: [HCI.ACLPacket] = []
    private var answers: [HCI.Opcode: (status: HCI.ErrorCode, parameters: ArraySlice<UInt8>)] = [:]

    /// Adds a controller to the world, and unmasks every event in its first version.
    init(_ world: World, _ configuration: ControllerConfiguration = .init()) throws {
        self.world = world
        id = try world.addController(configuration)
        world.read(
            id,
            data: { [unowned self] in data.append($0) },
            events: { [unowned self] in receive($0) }
        )
        let later: HCI.LEEventMask = [.enhancedConnectionComplete, .enhancedConnectionCompleteV2]
        let all = HCI.LEEventMask(rawValue: .max)
        try perform(HCI.SetEventMask(mask: HCI.EventMask(rawValue: .max)))
        try perform(HCI.SetEventMaskPage2(mask: [.authenticatedPayloadTimeoutExpired]))
        try perform(HCI.LESetEventMask(mask: all.subtracting(later)))
    }

    /// Creates a host on a controller this many meters to the east of the origin.
    convenience init(_ world: World, _ name: String, at meters: Double) throws {
        let position = Position(x: meters, y: 0)
        try self.init(world, ControllerConfiguration(name: name, at: position))
    }

    /// Executes the command without delay. Returns its return parameters, and throws the status if
    /// the command is refused.
    @discardableResult
    func perform<Command: CommandCompleteCommand>(
        _ command: Command
    ) throws -> Command.ReturnParameters {
        let (status, parameters) = try answer(to: HCI.EncodedCommand(command))
        guard status == .success else { throw status }
        return try Command.ReturnParameters(parsing: parameters)
    }

    /// Executes the command without delay. Returns its status.
    @discardableResult
    func status(_ command: some HCICommand) throws -> HCI.ErrorCode {
        try answer(to: HCI.EncodedCommand(command)).status
    }

    /// Sends plain bytes.
    func send(_ bytes: [UInt8]) {
        world.send(bytes, to: id)
    }

    /// Sends one whole L2CAP PDU, or any other payload, in one ACL packet.
    func send(_ payload: [UInt8], on handle: ConnectionHandle) {
        let packet = HCI.ACLPacket(
            connectionHandle: handle,
            boundary: .firstNonFlushable,
            payload: payload[...]
        )
        send(packet.h4Bytes)
    }

    /// Clears the received packets.
    func forget() {
        events = []
        instants = []
        data = []
    }

    private func answer(
        to command: HCI.EncodedCommand
    ) throws -> (status: HCI.ErrorCode, parameters: ArraySlice<UInt8>) {
        answers[command.opcode] = nil
        send(command.h4Packet)
        world.run(for: .zero)
        return try #require(answers[command.opcode], "The command was not answered at once")
    }

    private func receive(_ event: HCI.Event) {
        switch event {
        case .commandComplete(let event):
            let status = HCI.ErrorCode(rawValue: event.returnParameters.first ?? 0xFF)
            answers[event.opcode] = (status, event.returnParameters.dropFirst())
        case .commandStatus(let event): answers[event.opcode] = (event.status, [])
        default:
            events.append(event)
            instants.append(world.now)
        }
    }
}
