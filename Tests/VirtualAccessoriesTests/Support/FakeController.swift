// SPDX-License-Identifier: Apache-2.0
import BluetoothHCI
import BluetoothL2CAP
import BluetoothTypes
import Testing
import VirtualRadio

/// A controller without a radio: it answers every command of one host with success, and records it.
struct FakeController<Host: ScriptedHost> {
    var host: Host
    var now = Instant.zero
    /// Whether the controller has only the commands of Bluetooth 4.0.
    let isOld: Bool
    /// The maximum number of data bytes in a packet, and of packets in the controller.
    let buffers: (length: UInt16, count: UInt8)
    /// Every command since the last `forget`.
    private(set) var commands: [HCI.EncodedCommand] = []
    /// Every data packet since the last `forget`.
    private(set) var data: [HCI.ACLPacket] = []

    init(
        _ host: Host,
        isOld: Bool = false,
        buffers: (length: UInt16, count: UInt8) = (251, 8)
    ) {
        self.host = host
        self.isOld = isOld
        self.buffers = buffers
    }

    var opcodes: [HCI.Opcode] { commands.map(\.opcode) }

    /// Returns the parameters of the first command of this type.
    func command<Command: HCICommand>(_ type: Command.Type) throws -> Command {
        let first = commands.first { $0.opcode == Command.opcode }
        let parameters = try #require(first?.parameters, "\(Command.opcode) was not sent")
        return try Command(parsing: parameters[...])
    }

    mutating func forget() {
        commands = []
        data = []
    }

    mutating func powerOn() {
        take(host.start(now: now))
    }

    mutating func emit(_ event: HCI.Event) {
        take(host.receive(event.packet.h4Bytes, now: now))
    }

    /// Lets time pass, and wakes the host at its deadlines.
    mutating func wait(_ duration: Duration) {
        let end = now + duration
        for _ in 0..<1000 {
            guard let deadline = host.nextDeadline, deadline <= end else { break }
            now = max(now, deadline)
            take(host.deadlinePassed(now: now))
        }
        now = end
    }

    /// Makes the host perform an action of its own.
    mutating func act(_ body: (inout Host, Instant) -> [[UInt8]]) {
        take(body(&host, now))
    }

    private mutating func take(_ packets: [[UInt8]]) {
        for packet in packets {
            switch try? HCI.Packet(h4: packet[...]) {
            case .command(let opcode, let parameters):
                guard let command = try? HCI.command(opcode: opcode, parameters: parameters) else {
                    Issue.record("malformed \(opcode): \(Array(parameters))")
                    continue
                }
                commands.append(HCI.EncodedCommand(command))
                answer(HCI.EncodedCommand(command))
            case .acl(let packet): data.append(packet)
            default: Issue.record("neither a command nor data: \(packet)")
            }
        }
    }

    private mutating func answer(_ command: HCI.EncodedCommand) {
        if command.isCompletedByStatus {
            emit(
                .commandStatus(
                    .init(status: .success, allowedPackets: 1, opcode: command.opcode)
                )
            )
        } else {
            let answer = [0] + returnParameters(of: command.opcode)
            emit(
                .commandComplete(
                    .init(
                        allowedPackets: 1,
                        opcode: command.opcode,
                        returnParameters: answer[...]
                    )
                )
            )
        }
    }

    private func returnParameters(of opcode: HCI.Opcode) -> [UInt8] {
        switch opcode {
        case .readLocalSupportedCommands: supportedCommands
        case .leReadLocalSupportedFeatures:
            isOld ? [UInt8](repeating: 0, count: 8) : [0, 0x10, 0, 0, 0, 0, 0, 0]
        case .leReadBufferSize:
            [UInt8(truncatingIfNeeded: buffers.length), UInt8(buffers.length >> 8), buffers.count]
        case .leReadBufferSizeV2:
            [
                UInt8(truncatingIfNeeded: buffers.length), UInt8(buffers.length >> 8),
                buffers.count, 0, 0, 0,
            ]
        case .readBDAddress: [0x06, 0x05, 0x04, 0x03, 0x02, 0x01]
        default: [UInt8](repeating: 0, count: 32)
        }
    }

    /// All commands, or those of Bluetooth 4.0, which are in the first 29 bytes.
    private var supportedCommands: [UInt8] {
        [UInt8](repeating: 0xFF, count: isOld ? 29 : 64)
            + [UInt8](repeating: 0, count: isOld ? 35 : 0)
    }
}

extension FakeController {
    static var handle: ConnectionHandle { ConnectionHandle(rawValue: 0x0040) }

    /// Reports that a central has connected.
    mutating func connect() {
        emit(
            .connectionComplete(
                .init(
                    status: .success,
                    connectionHandle: Self.handle,
                    role: .peripheral,
                    peerAddress: .init(DeviceAddress(value: 1, kind: .public)),
                    interval: .init(rawValue: 24),
                    peripheralLatency: 0,
                    supervisionTimeout: .init(rawValue: 400)
                )
            )
        )
    }

    /// Reports that the central has disconnected.
    mutating func disconnect() {
        emit(
            .disconnectionComplete(
                .init(
                    status: .success,
                    connectionHandle: Self.handle,
                    reason: .remoteUserTerminatedConnection
                )
            )
        )
    }

    /// Passes a PDU of the central to the host, in ACL packets of at most `fragmentLength`
    /// bytes.
    mutating func send(
        _ payload: [UInt8],
        on channel: ChannelIdentifier = .att,
        fragmentLength: Int = 251
    ) {
        let frame = L2CAPFrame.encode(payload, on: channel)
        for start in stride(from: 0, to: frame.count, by: fragmentLength) {
            let packet = HCI.ACLPacket(
                connectionHandle: Self.handle,
                boundary: start == 0 ? .firstFlushable : .continuing,
                payload: frame[start..<min(start + fragmentLength, frame.count)]
            )
            take(host.receive(packet.h4Bytes, now: now))
        }
    }

    /// Reports that the controller has sent this many packets to the central.
    mutating func complete(_ count: Int) {
        let entry = HCI.CompletedPackets(connectionHandle: Self.handle, count: UInt16(count))
        emit(.numberOfCompletedPackets(.init(completed: [entry])))
    }

    /// Returns and removes everything that was sent, as whole frames, and frees their buffers.
    mutating func takeFrames() -> [L2CAPFrame] {
        var recombiner = FrameRecombiner()
        var frames: [L2CAPFrame] = []
        for _ in 0..<1000 where !data.isEmpty {
            let packet = data.removeFirst()
            if case .frame(let frame) = recombiner.receive(packet) { frames.append(frame) }
            complete(1)
        }
        return frames
    }

    /// Returns and removes the sent frames, as the hexadecimal digits of their payloads.
    mutating func takePayloads() -> [String] {
        takeFrames().map { Array($0.payload).hexadecimal }
    }
}
