// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGAP
import BluetoothGATT
import BluetoothHCI
import BluetoothL2CAP
import BluetoothSMP
import BluetoothTypes

/// The host as a value: it owns the machines of every layer, and turns each input (bytes from the
/// controller, a wish of the application, the clock) into actions in one ordered outbox.
///
/// The driver's contract: one input, then everything in the outbox, then the next input. The core
/// does no I/O, waits for nothing, and reads no clock.
///
/// The controller's life is in `HostCore+Controller`, arriving packets in `HostCore+Packets`, scans
/// and dials in `HostCore+Central`, advertising in `HostCore+Advertising`, links in
/// `HostCore+Links`, clients and what they are sent in `HostCore+Server`, encryption in
/// `HostCore+Security`, time in `HostCore+Time`.
package struct HostCore: Sendable {
    /// How many requests may wait at once; one more is refused, unless it makes room for others.
    package static let requestLimit = 1_024
    /// How many scans may run at once.
    package static let scanLimit = 16
    /// How often one dial may find the peer and then fail to establish the link
    /// (Vol 6, Part B, 4.5: no packet within six intervals) before it is given up.
    package static let establishmentLimit = 3
    /// How long a link-layer procedure may take before whoever waits is told
    /// (Vol 6, Part B, 5.2).
    package static let procedureTimeout: Duration = .seconds(40)
    /// How long a link may take to end: longer than the longest supervision timeout, after which
    /// the controller has to have noticed (Vol 6, Part B, 5.1.6).
    package static let disconnectLimit: Duration = .seconds(40)
    /// How long the end of a link waits for keys that are on their way to the peer: longer than three
    /// packets take at the usual intervals, and soon enough where the peer is out of range.
    package static let keyDeliveryLimit: Duration = .seconds(2)
    /// How long a controller rests that refused to end a link which nobody wants.
    package static let disconnectRest: Duration = .seconds(2)
    /// How long a host that is shut down waits for its links to end in an orderly way.
    package static let farewellLimit: Duration = .seconds(1)
    /// Identifiers of the core's own GATT operations; those of requests are below.
    static let ownOperationBase: UInt64 = 1 << 63

    /// What an answer from the controller is for.
    enum Purpose: Sendable {
        case startup
        case central(Step)
        case advertising(AdvertisingStep)
        case privacy(PrivacyStep)
        /// A Peripheral's wish for other parameters, in the link layer.
        case parameters(LinkIdentifier)
        case request(RequestIdentifier, LinkIdentifier, LinkRequest)
        case disconnection(LinkIdentifier)
        /// The host's own housekeeping on a link: a refusal is logged, and ends the procedure that
        /// it was to begin.
        case upkeep(LinkIdentifier, LinkState.Procedure?)

        /// The link that the command is about.
        var link: LinkIdentifier? {
            switch self {
            case .request(_, let link, _), .disconnection(let link), .upkeep(let link, _),
                .parameters(let link):
                link
            case .startup, .central, .advertising, .privacy: nil
            }
        }
    }

    let configuration: HostConfiguration
    let ownAddress: DeviceAddress
    /// Who we are to peers that we pair with: the address that stays the same, and what our private
    /// addresses are made with.
    let localIdentity: Pairing.LocalIdentity

    package internal(set) var state: AdapterState = .starting
    package internal(set) var capabilities: ControllerCapabilities?

    /// Whether the transport is open. What arrives before that is known is not looked at.
    var isConnected = false
    /// What is known of the wire, and what it may still be tried.
    var wire = Wire()
    /// How often what the controller knew was forgotten.
    var abandonedControllers = 0
    var deframer = H4Deframer()
    var commands = CommandQueue<Purpose>()
    var startup: ControllerStartup?
    var reopening = ReopenSchedule()
    /// Set while the host is being shut down.
    var farewellDeadline: Instant?
    var transmitQueue = ACLTransmitQueue()
    var scheduler = CentralScheduler()
    var advertiser = Advertiser()
    /// The sets that have not ended, and who waits until what is wanted of them is in force.
    var advertisingWaiters: [RequestIdentifier: [RequestIdentifier]] = [:]
    var reports = ReportAssembler()
    var scans: [ScanSession] = []
    var dials: [RequestIdentifier: Dial] = [:]
    var links = LinkTable()
    /// Recognises bonded peers by their private addresses.
    var resolver = AddressResolver()
    /// With which addresses they were last heard.
    var sightedAddresses = SightedAddresses()
    /// What the controller knows of addresses.
    var addresses: AddressKeeper
    /// What peers are known by.
    let peerCipher: PeerCipher
    var server = GATTServer()
    /// The peers that keys are shared with, those not met for the longest first.
    var bonds: [Bond]
    /// What there is to be remembered of the store.
    var keeping = StoreKeeping()
    /// What the application keeps in the store, as far as it was asked for or changed.
    var applicationRecords: [ApplicationName: [UInt8]] = [:]
    /// Who has failed to pair, and has to wait before the next attempt.
    var attempts = RepeatedAttempts()
    /// Where random numbers and keys come from.
    var randomness: Randomness
    /// What bonded clients have configured, as far as it is known.
    var memories: [DeviceAddress: ClientMemory] = [:]
    var handles: [LinkIdentifier: ConnectionHandle] = [:]
    /// The channels of all links, and who listens for more.
    var channels = ChannelTable()
    var listeners = ListenerTable()
    /// What was refused, and waits until its link is better protected.
    var demands: [UInt64: Demand] = [:]
    var nextLink: UInt64 = 1
    var databases = DatabaseCache()
    var nextOwnOperation = HostCore.ownOperationBase
    private var outbox: [HostAction] = []

    /// Makes the core of a host that uses `ownAddress`, a random static address.
    ///
    /// - Parameters:
    ///   - resolvingKey: what its private addresses are made with; by default a new key.
    ///   - secret: what the identifiers of peers are made with; by default a new one.
    package init(
        configuration: HostConfiguration,
        ownAddress: DeviceAddress,
        resolvingKey: HCI.Key128? = nil,
        secret: HCI.Key128? = nil
    ) {
        self.configuration = configuration
        self.ownAddress = ownAddress
        randomness = Randomness(configuration.randomness)
        localIdentity = Pairing.LocalIdentity(
            address: ownAddress,
            resolvingKey: resolvingKey ?? HCI.Key128(using: &randomness)
        )
        addresses = AddressKeeper(own: Self.ownAddresses(configuration.privacy, localIdentity))
        peerCipher = PeerCipher(secret: secret ?? HCI.Key128(using: &randomness))
        bonds = configuration.bonds.suffix(Self.bondLimit)
        resolver.setPeers(bonds.compactMap(\.privatePeer))
        server.setSupportsEnhancedBearers(configuration.servesEnhancedBearers)
        describeDevice()
    }

    /// Makes the core of a host whose identity its store has told.
    init(configuration: HostConfiguration, identity: HostIdentity) {
        self.init(
            configuration: configuration,
            ownAddress: identity.local.address,
            resolvingKey: identity.local.resolvingKey,
            secret: identity.secret
        )
        for event in identity.events { emit(.security(event)) }
    }

    /// Whether nothing is left to be done by the driver.
    package var isDrained: Bool { outbox.isEmpty }

    /// Exchanges the outbox for an empty array, whose storage is used again.
    package mutating func takeActions(into empty: inout [HostAction]) {
        swap(&outbox, &empty)
    }

    /// Whether something like this is in the outbox.
    func willTell(_ isMeant: (HostAction) -> Bool) -> Bool { outbox.contains(where: isMeant) }

    mutating func emit(_ action: HostAction) {
        outbox.append(action)
    }

    mutating func complete(_ request: RequestIdentifier, _ answer: HostAnswer) {
        outbox.append(.completed(request, .success(answer)))
    }

    mutating func fail(_ request: RequestIdentifier, _ error: any Error) {
        outbox.append(.completed(request, .failure(error)))
    }

    mutating func changeState(to newState: AdapterState) {
        guard state != newState else { return }
        state = newState
        outbox.append(.stateChanged(newState))
    }

    /// Queues a command for the controller.
    mutating func send(_ command: HCI.EncodedCommand, for purpose: Purpose, now: Instant) {
        perform(commands.enqueue(command, for: purpose, now: now), now: now)
    }
}
