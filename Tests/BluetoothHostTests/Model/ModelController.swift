// SPDX-License-Identifier: Apache-2.0

import BluetoothHCI
import BluetoothL2CAP
import BluetoothTypes

/// A controller as a value that receives the packets of a host, and responds as the specification
/// requires.
///
/// Every packet is handled at once and in order, without a clock. `violations` records the host's
/// violations of the specification, and most tests check it at the end. A test can make the
/// controller ignore, refuse or fail a command, and can make it send any event.
struct ModelController: Sendable {
    /// A violation of the specification by the host.
    enum Violation: Sendable, Equatable {
        case malformedPacket
        case malformedCommand(HCI.Opcode)
        case unsupportedCommand(HCI.Opcode)
        /// A command that exceeds the number of commands allowed before a response.
        case commandWithoutCredit(HCI.Opcode)
        case illegal(HCI.Opcode)
        case dataWithoutLink(ConnectionHandle)
        case dataTooLong(Int)
        case tooManyPackets(Int)
        case wrongBoundary
    }

    /// A packet to the host, and the commands and buffers that the host may use once it has
    /// received the packet.
    struct Outgoing: Sendable {
        let bytes: [UInt8]
        var answersCommand = false
        var freedPackets: [ConnectionHandle: Int] = [:]
        var endedLink: ConnectionHandle?
    }

    /// A command that initiates connections, while it is in progress.
    struct Initiation: Sendable {
        /// The peer to connect to, or `nil` for every peer on the Filter Accept List.
        let target: DeviceAddress?
    }

    static let firstHandle: UInt16 = 0x0040

    let profile: ModelProfile
    var peers: [DeviceAddress: ModelPeer] = [:]

    /// Commands that get no response and have no effect.
    var muteCommands: Set<HCI.Opcode> = []
    /// Commands that are refused, with their error codes.
    var refusals: [HCI.Opcode: HCI.ErrorCode] = [:]
    /// The reasons with which the host has ended links.
    var disconnectReasons: [HCI.ErrorCode] = []
    /// Commands that are accepted, but never completed with an event.
    var endlessCommands: Set<HCI.Opcode> = []
    /// Commands that are accepted and end with an error.
    var badEnds: [HCI.Opcode: HCI.ErrorCode] = [:]
    /// Whether the controller responds to nothing.
    var isHung = false
    /// Whether data packets stay in the controller until `releasePackets`.
    var keepsPackets = false
    /// Whether data packets stay in the controller once a link is encrypted.
    var keepsEncryptedPackets = false
    /// The maximum number of data bytes in one packet to the host.
    var fragmentLength = 251
    /// The PHY of every link.
    var phy = PHY.le1M

    private(set) var violations: [Violation] = []
    /// Every command of the host, oldest first.
    private(set) var commands: [HCI.Opcode] = []
    /// The link of each data packet of the host, oldest first.
    private(set) var dataPackets: [ConnectionHandle] = []

    var isScanning = false
    var initiation: Initiation?
    var acceptList: [DeviceAddress] = []
    var links: [ConnectionHandle: ModelLink] = [:]
    /// The advertising sets by their handles.
    var sets: [UInt8: ModelSet] = [:]
    /// Whether the controller never sends LE Advertising Set Terminated.
    var hidesTerminations = false
    var leEventMask: HCI.LEEventMask = HCI.LEEventMask(rawValue: 0x1F)
    var usesExtendedCommands: Bool?

    private var outbox: [Outgoing] = []
    private var unansweredCommands = 0
    /// The data packets whose buffers the host does not yet know to be free.
    private var occupied: [ConnectionHandle: Int] = [:]
    private var endedLinks: Set<ConnectionHandle> = []
    private var nextHandle = firstHandle

    init(_ profile: ModelProfile = .rich, peers: [ModelPeer] = []) {
        self.profile = profile
        for peer in peers { self.peers[peer.address] = peer }
    }

    /// Receives one H4 packet from the host.
    mutating func receive(_ bytes: [UInt8]) {
        switch try? HCI.Packet(h4: bytes[...]) {
        case .command(let opcode, let parameters): receiveCommand(opcode, parameters)
        case .acl(let packet): receiveData(packet)
        default: violations.append(.malformedPacket)
        }
    }

    /// Returns the next packet for the host, or `nil` if there is none.
    mutating func nextPacket() -> [UInt8]? {
        guard !outbox.isEmpty else { return nil }
        let packet = outbox.removeFirst()
        if packet.answersCommand { unansweredCommands = max(0, unansweredCommands - 1) }
        for (handle, count) in packet.freedPackets {
            occupied[handle] = max(0, occupied[handle, default: 0] - count)
        }
        if let ended = packet.endedLink {
            endedLinks.remove(ended)
            occupied[ended] = nil
        }
        return packet.bytes
    }

    var hasPackets: Bool { !outbox.isEmpty }

    mutating func violate(_ violation: Violation) {
        violations.append(violation)
    }

    mutating func send(_ outgoing: Outgoing) {
        outbox.append(outgoing)
    }

    /// Sends an event.
    mutating func send(_ event: HCI.Event) {
        outbox.append(Outgoing(bytes: event.packet.h4Bytes))
    }

    /// Sends bytes.
    mutating func sendBytes(_ bytes: [UInt8]) {
        outbox.append(Outgoing(bytes: bytes))
    }

    /// Clears all state except for the configuration and the records of the host's packets, like a
    /// controller that is power-cycled.
    mutating func forget() {
        for address in links.values.map(\.peer) { peers[address]?.linkEnded() }
        isScanning = false
        initiation = nil
        acceptList = []
        links = [:]
        sets = [:]
        leEventMask = HCI.LEEventMask(rawValue: 0x1F)
        usesExtendedCommands = nil
        outbox = []
        unansweredCommands = 0
        occupied = [:]
        endedLinks = []
        nextHandle = Self.firstHandle
    }

    /// Restarts without a command, and reports the restart.
    mutating func restart() {
        let lost = Set(links.keys)
        forget()
        // The host does not know of the restart before it has read the following event.
        endedLinks = lost
        complete(.reset, .success)
    }

    /// Uses this handle for the next link.
    mutating func reuse(_ handle: ConnectionHandle) {
        nextHandle = handle.rawValue
    }

    mutating func takeHandle() -> ConnectionHandle {
        while links[ConnectionHandle(rawValue: nextHandle)] != nil { advanceHandle() }
        defer { advanceHandle() }
        return ConnectionHandle(rawValue: nextHandle)
    }

    private mutating func advanceHandle() {
        let isLast = nextHandle == ConnectionHandle.maximum.rawValue
        nextHandle = isLast ? Self.firstHandle : nextHandle + 1
    }
}

// Commands: their reception and their responses.
extension ModelController {
    private mutating func receiveCommand(_ opcode: HCI.Opcode, _ parameters: ArraySlice<UInt8>) {
        commands.append(opcode)
        guard !isHung, !muteCommands.contains(opcode) else { return }
        unansweredCommands += 1
        // A host sends these two commands when its count of allowed commands is no longer reliable.
        let isLastResort = opcode == .reset || opcode == .readLocalVersionInformation
        if unansweredCommands > profile.commandCount, !isLastResort {
            violate(.commandWithoutCredit(opcode))
        }
        guard isListed(opcode) else {
            violate(.unsupportedCommand(opcode))
            return answer(opcode, .unknownCommand)
        }
        guard let command = try? HCI.command(opcode: opcode, parameters: parameters) else {
            violate(.malformedCommand(opcode))
            return answer(opcode, .invalidCommandParameters)
        }
        if let code = refusals[opcode] {
            return command is any CommandStatusCommand
                ? answer(opcode, code) : complete(opcode, code)
        }
        execute(command)
    }

    private func isListed(_ opcode: HCI.Opcode) -> Bool {
        profile.commands.contains(opcode)
    }

    /// Sends Command Status.
    mutating func answer(_ opcode: HCI.Opcode, _ status: HCI.ErrorCode) {
        let event = HCI.Event.commandStatus(
            .init(status: status, allowedPackets: UInt8(profile.commandCount), opcode: opcode)
        )
        send(Outgoing(bytes: event.packet.h4Bytes, answersCommand: true))
    }

    /// Sends Command Complete.
    mutating func complete(
        _ opcode: HCI.Opcode,
        _ status: HCI.ErrorCode,
        _ parameters: (any HCIParameters)? = nil
    ) {
        let event = HCI.Event.commandComplete(
            .init(
                allowedPackets: UInt8(profile.commandCount),
                opcode: opcode,
                returnParameters: [status.rawValue] + (parameters?.encodedParameters ?? [])
            )
        )
        send(Outgoing(bytes: event.packet.h4Bytes, answersCommand: true))
    }
}

// Data: its reception and its buffers.
extension ModelController {
    private mutating func receiveData(_ packet: HCI.ACLPacket) {
        guard !isHung else { return }
        let handle = packet.connectionHandle
        guard links[handle] != nil else {
            // The host may not know yet that the link has ended.
            if !endedLinks.contains(handle) { violate(.dataWithoutLink(handle)) }
            return
        }
        dataPackets.append(handle)
        occupied[handle, default: 0] += 1
        let count = occupied.values.reduce(0, +)
        if count > profile.aclPacketCount { violate(.tooManyPackets(count)) }
        if packet.payload.count > profile.aclPacketLength {
            violate(.dataTooLong(packet.payload.count))
        }
        if packet.boundary != .firstNonFlushable, packet.boundary != .continuing {
            violate(.wrongBoundary)
        }
        guard !keepsPackets else {
            links[handle]?.heldPackets.append(packet)
            return
        }
        pass(packet, on: handle)
    }

    /// Passes on held packets, oldest first.
    mutating func releasePackets(_ count: Int, on handle: ConnectionHandle) {
        for _ in 0..<count {
            guard let packet = links[handle]?.heldPackets.first else { return }
            links[handle]?.heldPackets.removeFirst()
            pass(packet, on: handle)
        }
    }

    private mutating func pass(_ packet: HCI.ACLPacket, on handle: ConnectionHandle) {
        let event = HCI.Event.numberOfCompletedPackets(
            .init(completed: [.init(connectionHandle: handle, count: 1)])
        )
        send(Outgoing(bytes: event.packet.h4Bytes, freedPackets: [handle: 1]))
        deliver(packet, on: handle)
    }

    /// Removes a link, and sends the event to the host.
    mutating func linkEnded(_ handle: ConnectionHandle, _ reason: HCI.ErrorCode) {
        guard let link = links.removeValue(forKey: handle) else { return }
        peers[link.peer]?.linkEnded()
        endedLinks.insert(handle)
        let event = HCI.Event.disconnectionComplete(
            .init(status: .success, connectionHandle: handle, reason: reason)
        )
        send(Outgoing(bytes: event.packet.h4Bytes, endedLink: handle))
    }
}

extension ModelController: CustomStringConvertible {
    var description: String { "model controller with \(links.count) links" }
}
