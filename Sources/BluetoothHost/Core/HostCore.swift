// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGAP
import BluetoothGATT
import BluetoothHCI
import BluetoothL2CAP
import BluetoothSMP
import BluetoothTypes

/// The host as a value. It owns the parts of every layer, and turns each input (bytes from the
/// controller, requests of the application, the clock) into actions in one ordered outbox. The core
/// does no I/O, never waits, and reads no clock.
///
/// `LinkCore` has the state of one link. The host has the parts that concern the controller or
/// several links. `HostCore+WithLink` passes inputs to the links.
package struct HostCore: Sendable {
    /// The maximum number of requests that wait at once. The host refuses further requests, with
    /// the exceptions that ``HostError/tooManyRequests`` describes.
    package static let requestLimit = 1_024
    /// The maximum number of concurrent scans.
    package static let scanLimit = 16
    /// The number of attempts after which a direct connection request fails, if each attempt ended
    /// with Connection Failed to be Established: the controller found the peer, but received no
    /// packet from it within six connection intervals (Vol 6, Part B, 4.5).
    package static let establishmentLimit = 10
    /// The maximum time for which a shutdown waits for the end of links, scans and advertising.
    package static let shutdownLimit: Duration = .seconds(1)

    /// The state that the links share, with the configuration and the outbox.
    var context: LinkContext
    var links = LinkTable()
    let ownAddress: DeviceAddress
    /// Whether the transport is open. Bytes that arrive earlier are dropped.
    var isConnected = false
    /// The state of the transport, and the number of resets of the controller.
    var transportRecovery = TransportRecovery()
    /// The number of times that the state of the controller was discarded.
    var abandonedControllers = 0
    var deframer = H4Deframer()
    var startup: ControllerStartup?
    var reopening = ReopenSchedule()
    /// The latest time at which a host that is being shut down closes.
    var shutdownDeadline: Instant? {
        didSet { context.isShuttingDown = shutdownDeadline != nil }
    }
    var scheduler = CentralScheduler() {
        didSet { schedulerDeadline = scheduler.nextDeadline }
    }
    var advertiser = Advertiser() {
        didSet { advertiserDeadline = advertiser.nextDeadline }
    }
    /// The advertising sets that have not ended, and the requests that wait until they are in
    /// force.
    var advertisingWaiters: [RequestIdentifier: [RequestIdentifier]] = [:]
    var reports = ReportAssembler()
    var scans: [ScanSession] = []
    var connectionRequests: [RequestIdentifier: PendingConnection] = [:]
    /// The resolver that recognizes bonded peers by their private addresses.
    var resolver = AddressResolver()
    /// For each bonded peer with a resolving key, the address that it had when it was paired, or
    /// `nil` if that address was neither public nor static. It may be the identity address.
    var pairedAddresses: [PeerIdentifier: DeviceAddress?] = [:]
    /// The addresses with which bonded peers were last received.
    var recentAddresses = RecentAddresses()
    /// The local addresses in the controller, and its list for resolving the addresses of peers.
    var addresses: AddressScheduler
    // The deadlines of parts that are rarely changed. They are stored when the part changes,
    // because `readNextDeadline` needs them after every packet.
    private(set) var schedulerDeadline: Instant?
    private(set) var advertiserDeadline: Instant?
    var nextLink: UInt64 = 1

    /// Creates the core of a host that uses `ownAddress`, a random static address.
    ///
    /// - Parameters:
    ///   - resolvingKey: The identity resolving key, from which the host's private addresses are
    ///     made; by default a new one.
    ///   - secret: The key from which the identifiers of peers are derived; by default a new one.
    package init(
        configuration: HostConfiguration,
        ownAddress: DeviceAddress,
        resolvingKey: HCI.Key128? = nil,
        secret: HCI.Key128? = nil
    ) {
        self.ownAddress = ownAddress
        var randomness = AnyRandomNumberGenerator(configuration.randomness)
        let localIdentity = Pairing.LocalIdentity(
            address: ownAddress,
            resolvingKey: resolvingKey ?? HCI.Key128(using: &randomness)
        )
        let peerCipher = PeerCipher(secret: secret ?? HCI.Key128(using: &randomness))
        context = LinkContext(
            configuration: configuration,
            localIdentity: localIdentity,
            peerCipher: peerCipher,
            randomness: randomness
        )
        addresses = AddressScheduler(own: Self.ownAddresses(configuration.privacy, localIdentity))
        updateResolver()
        context.server = GATTServer(isPrivate: configuration.privacy != .off)
        context.server.setSupportsEnhancedBearers(configuration.servesEnhancedBearers)
        describeDevice()
    }

    /// Creates the core of a host with the identity in its store.
    init(configuration: HostConfiguration, identity: HostIdentity) {
        self.init(
            configuration: configuration,
            ownAddress: identity.local.address,
            resolvingKey: identity.local.resolvingKey,
            secret: identity.secret
        )
        for event in identity.events { emit(.event(.security(event))) }
        for name in identity.unsaved { context.keep(name) }
        context.storeState.isIdentityUnsaved = identity.unsaved.contains(.identity)
    }

    var configuration: HostConfiguration { context.configuration }
    package var state: AdapterState { context.state }
    package var capabilities: ControllerCapabilities? { context.capabilities }
    package var bonds: [Bond] { context.bonds }

    /// Whether the driver has taken all actions.
    package var isDrained: Bool { context.isDrained }

    /// Returns whether there are actions for the driver. The method is `mutating`, because a read
    /// would copy the context.
    mutating func checkActions() -> Bool { !context.isDrained }

    /// Exchanges the outbox for `empty`, whose storage the outbox then uses.
    package mutating func takeActions(into empty: inout [HostAction]) {
        context.takeActions(into: &empty)
    }

    /// Removes packets that the transport has copied. Their storage is used again.
    package mutating func reclaim(_ packets: inout [[UInt8]]) {
        context.reclaim(&packets)
    }

    mutating func emit(_ action: HostAction) { context.emit(action) }

    mutating func complete(_ request: RequestIdentifier, _ answer: HostAnswer) {
        context.complete(request, answer)
    }

    mutating func fail(_ request: RequestIdentifier, _ error: any Error) {
        context.fail(request, error)
    }

    mutating func changeState(to newState: AdapterState) {
        guard state != newState else { return }
        context.state = newState
        emit(.event(.stateChanged(newState)))
    }

    /// Queues a command of the host for the controller.
    mutating func send(
        _ command: HCI.EncodedCommand,
        for purpose: CommandPurpose,
        now: Instant
    ) {
        perform(context.commands.enqueue(command, for: purpose, now: now), now: now)
    }
}
