// SPDX-License-Identifier: Apache-2.0

import BluetoothGAP
import BluetoothGATT
import BluetoothHCI
import BluetoothSMP
import BluetoothTypes

/// The state that the links of a host share. The methods of `LinkCore` get it as a parameter.
///
/// For effects on other links, or on parts that only the host has, a link posts a `LinkEvent`. The
/// host handles the events as soon as the link's method has returned. A link has access to neither
/// its host nor the other links.
struct LinkContext: Sendable {
    /// The first identifier of the host's own operations. The identifiers of requests are below it.
    static let ownOperationBase: UInt64 = 1 << 63

    /// The time of the current input.
    var now = Instant.zero
    var configuration: HostConfiguration
    /// The identity address, and the key of the private addresses.
    let localIdentity: Pairing.LocalIdentity
    /// The cipher that makes the identifiers of peers.
    let peerCipher: PeerCipher
    var state: AdapterState = .starting
    var capabilities: ControllerCapabilities?
    var isShuttingDown = false

    var commands = CommandQueue<CommandPurpose>() {
        didSet { commandDeadline = commands.nextDeadline }
    }
    /// The deadline of `commands`, stored when the queue changes.
    private(set) var commandDeadline: Instant?
    var transmitQueue = ACLTransmitQueue()
    /// The links with more to send than their queue has room for, in the order in which they get
    /// buffers.
    private(set) var blockedLinks: [LinkIdentifier] = []
    var server = GATTServer()
    /// The channels of all links.
    var channels = ChannelTable()
    /// The listeners for channels that peers open.
    var listeners = ListenerTable()

    /// The bonds. The bond of the peer that connected least recently is first.
    var bonds: [Bond]
    /// The host's knowledge of its store.
    var storeState = StoreState()
    /// The application's records that were read from the store or have changed.
    var applicationRecords: [ApplicationName: [UInt8]] = [:]
    /// The configuration of bonded clients that was read from the store or has changed.
    var clientRecords: [DeviceAddress: ClientRecord] = [:]
    /// The databases of the peers that were discovered most recently.
    var databases = DatabaseCache()

    /// The delays after failed pairings and after questions without a yes.
    var attempts = RepeatedAttempts()
    /// The rule that decides whether peers may begin a pairing.
    var pairingWindow: PairingWindow
    /// The number of links with an open question to a person.
    private(set) var occupyingLinks = 0
    /// The source of random numbers and keys.
    var randomness: AnyRandomNumberGenerator

    private var nextOperation = Self.ownOperationBase
    private var outbox: [HostAction] = []
    /// Empty arrays whose storage is used for packets again.
    private var buffers: [[UInt8]] = []
    /// The events that the links have posted for the host.
    private var events: [(link: LinkIdentifier, event: LinkEvent)] = []
    /// The commands of links that the queue refused.
    private var refusedCommands: [CommandQueue<CommandPurpose>.Action] = []

    init(
        configuration: HostConfiguration,
        localIdentity: Pairing.LocalIdentity,
        peerCipher: PeerCipher,
        randomness: AnyRandomNumberGenerator
    ) {
        self.configuration = configuration
        self.localIdentity = localIdentity
        self.peerCipher = peerCipher
        self.randomness = randomness
        // The driver opens a limited window when the host starts.
        let isOpen = configuration.acceptsPairing && configuration.pairingWindow == nil
        pairingWindow = isOpen ? .open(until: nil) : .closed
        bonds = configuration.bonds.suffix(HostCore.bondLimit)
    }
}

// The outbox.
extension LinkContext {
    var isDrained: Bool { outbox.isEmpty }

    /// Exchanges the outbox for `empty`, whose storage the outbox then uses.
    mutating func takeActions(into empty: inout [HostAction]) { swap(&outbox, &empty) }

    mutating func emit(_ action: HostAction) { outbox.append(action) }

    mutating func complete(_ request: RequestIdentifier, _ answer: HostAnswer) {
        outbox.append(.completed(request, .success(answer)))
    }

    mutating func fail(_ request: RequestIdentifier, _ error: any Error) {
        outbox.append(.completed(request, .failure(error)))
    }

    /// Returns a new identifier for an operation of the host.
    mutating func takeOperation() -> UInt64 {
        defer { nextOperation += 1 }
        return nextOperation
    }
}

// The controller.
extension LinkContext {
    /// Queues a command of a link. If the queue refuses it, the host fails it after the link's
    /// method has returned.
    mutating func send(_ command: HCI.EncodedCommand, for purpose: CommandPurpose) {
        for action in commands.enqueue(command, for: purpose, now: now) {
            if case .send(let packet) = action {
                emit(.transmit(packet))
            } else {
                refusedCommands.append(action)
            }
        }
    }

    /// Moves packets into the controller's free buffers. Returns whether any packet was moved.
    @discardableResult
    mutating func transmitPackets() -> Bool {
        var hasMoved = false
        while let packet = transmitQueue.nextPacket() {
            emit(.transmit(packet))
            hasMoved = true
        }
        return hasMoved
    }

    /// The maximum number of arrays that are kept for packets.
    static let bufferLimit = 64

    /// Returns the header of an H4 packet to a link that will contain a frame of `count` bytes. The
    /// caller appends the frame.
    mutating func makePacket(ofFrame count: Int, on handle: ConnectionHandle) -> [UInt8] {
        var packet = buffers.popLast() ?? []
        packet.reserveCapacity(HCI.ACLPacket.h4HeaderLength + count)
        HCI.ACLPacket.appendHeader(of: count, on: handle, to: &packet)
        return packet
    }

    /// Removes packets that the transport has copied, and keeps their storage for others.
    mutating func reclaim(_ packets: inout [[UInt8]]) {
        while var packet = packets.popLast(), buffers.count < Self.bufferLimit {
            packet.removeAll(keepingCapacity: true)
            buffers.append(packet)
        }
        if !packets.isEmpty { packets.removeAll(keepingCapacity: true) }
    }

    /// Adds a link to the blocked links, or removes it.
    fileprivate mutating func setBlocked(_ link: LinkIdentifier, _ isBlocked: Bool) {
        if isBlocked { blockedLinks.append(link) } else { blockedLinks.removeAll { $0 == link } }
    }
}

// The events that the links post for the host.
extension LinkContext {
    mutating func post(_ event: LinkEvent, of link: LinkIdentifier) {
        events.append((link, event))
    }

    /// Returns whether links have posted events, or the queue has refused commands.
    mutating func checkEvents() -> Bool { !events.isEmpty || !refusedCommands.isEmpty }

    mutating func takeEvents() -> [(link: LinkIdentifier, event: LinkEvent)] {
        defer { events = [] }
        return events
    }

    mutating func takeRefusedCommands() -> [CommandQueue<CommandPurpose>.Action] {
        defer { refusedCommands = [] }
        return refusedCommands
    }

    /// Counts a link on which a question to a person opens or ends.
    mutating func count(_ isOccupying: Bool) { occupyingLinks += isOccupying ? 1 : -1 }
}

extension LinkCore {
    /// Records whether the link has more to send than its queue has room for.
    mutating func setBlocked(_ isBlocked: Bool, in context: inout LinkContext) {
        guard isBlocked != self.isBlocked else { return }
        self.isBlocked = isBlocked
        context.setBlocked(identifier, isBlocked)
    }

    /// Updates the number of links with an open question to a person.
    mutating func countOccupation(in context: inout LinkContext) {
        let isOccupying = protection.occupiesPerson
        guard isOccupying != isCountedAsOccupying else { return }
        isCountedAsOccupying = isOccupying
        context.count(isOccupying)
    }
}

/// An event of a link that concerns other links, or parts that only the host has.
enum LinkEvent: Sendable {
    /// The link is usable, and its connection request was completed.
    case established(RequestIdentifier)
    /// A person is asked before the connection request continues, so its deadline no longer
    /// applies.
    case awaitsPerson(RequestIdentifier)
    /// The link has ended, or counts as ended.
    case ended(HostError)
    /// A pairing has made a bond, which the link holds as `unsavedBond` until the host has added
    /// it.
    case paired(LinkSecurity)
    /// The host has new information about the bonded peer.
    case bondChanged(Bond)
    /// A client has signed a command. Its other links must not accept the signature again.
    case clientSigned(DeviceAddress)
    /// The server has an action for the client of another link.
    case served(GATTServer.Action)
}

/// The purpose of a command to the controller.
enum CommandPurpose: Sendable {
    case startup
    case central(CentralStep)
    case advertising(AdvertisingStep)
    case privacy(PrivacyStep)
    case link(LinkIdentifier, LinkCommand)
}

/// The purpose of a command about a link.
enum LinkCommand: Sendable {
    /// A peripheral's link-layer request for other connection parameters.
    case parameters
    case request(RequestIdentifier, LinkRequest)
    case disconnection
    /// Reads the PHYs of a link that may not have begun on LE 1M.
    case phy
    /// A command of the host. A refusal is logged, and ends the procedure that the command would
    /// have begun.
    case hostCommand(LinkCore.Procedure?)
}
