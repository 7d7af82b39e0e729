// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGAP
import BluetoothHCI
import BluetoothTypes
import HCITransports
import Testing

@testable import BluetoothHost

/// A core and a model controller, connected in memory, with a clock that tests control.
///
/// `drive()` exchanges packets until neither side has any. `advance(by:)` advances the clock and
/// fires each deadline that is due. The properties below collect the events of the core.
struct Harness {
    /// The number of packets after which an exchange counts as endless. No test needs as many.
    static let packetLimit = 20_000

    var core: HostCore
    var controller: ModelController
    var now = Instant.zero
    /// Whether the controller is present when the transport is opened.
    var isReachable = true
    /// Whether the transport may lose bytes.
    var losesBytes = false
    /// The length of the longest packet that the transport accepts, in bytes.
    var longestPacket: Int?
    private(set) var isOpen = false

    private(set) var states: [AdapterState] = []
    private(set) var completions: [RequestIdentifier: [Result<HostAnswer, any Error>]] = [:]
    private(set) var notifications: [(link: LinkIdentifier, value: [UInt8])] = []
    private(set) var advertisements: [(scan: RequestIdentifier, entry: Advertisement)] = []
    private(set) var clientEvents: [(link: LinkIdentifier, event: ClientEvent)] = []
    var store: [StoreKey: [UInt8]] = [:]
    /// Whether the store is full.
    var isStoreFull = false
    /// The key whose next write fails although the store has the new bytes, as if only the
    /// synchronization of the directory failed; `nil` for none.
    var failsAfterWriting: StoreKey?
    /// Whether the store has no room for entries that are set aside.
    var failsToSetAside = false
    /// The keys that were saved, in order.
    private(set) var saves: [StoreKey] = []
    private(set) var setAside: [StoreKey] = []
    private(set) var pairingEvents: [(link: LinkIdentifier, event: PairingEvent)] = []
    private(set) var securityEvents: [SecurityEvent] = []
    private(set) var ends: [LinkIdentifier: [HostError]] = [:]
    /// All events, in order.
    private(set) var events: [HostEvent] = []
    private(set) var incomingLinks: [(link: LinkIdentifier, peer: DeviceAddress)] = []
    private(set) var advertisingEnds: [RequestIdentifier: [AdvertisingEnd]] = [:]
    private(set) var log: [String] = []
    private(set) var openCount = 0

    private var lastRequest: UInt64 = 0
    private var actions: [HostAction] = []

    init(
        _ profile: ModelProfile = .rich,
        peers: [ModelPeer] = [],
        configure: (inout HostConfiguration) -> Void = { _ in }
    ) {
        var configuration = HostConfiguration()
        configure(&configuration)
        let address = DeviceAddress(value: 0xC0FF_EE00_0001, kind: .random)
        core = HostCore(configuration: configuration, ownAddress: address)
        controller = ModelController(profile, peers: peers)
    }

    /// Returns a harness whose host is ready.
    static func ready(
        _ profile: ModelProfile = .rich,
        peers: [ModelPeer] = [],
        configure: (inout HostConfiguration) -> Void = { _ in }
    ) -> Harness {
        var harness = Harness(profile, peers: peers, configure: configure)
        harness.open()
        harness.drive()
        #expect(harness.core.state == .ready)
        return harness
    }

    // MARK: Time and traffic

    /// Opens the transport, as the driver does at the start.
    mutating func open() {
        openCount += 1
        guard isReachable else { return core.transportClosed("no controller", now: now) }
        isOpen = true
        core.transportOpened(losesBytes: losesBytes, longestPacket: longestPacket, now: now)
    }

    /// Closes the transport from the controller's side.
    mutating func closeTransport() {
        isOpen = false
        core.transportClosed("closed", now: now)
    }

    /// Closes the transport and clears the state of the controller.
    mutating func loseTransport() {
        closeTransport()
        controller.forget()
        performActions()
    }

    /// Exchanges packets until neither side has any.
    mutating func drive() {
        let isQuiet = drive(atMost: Self.packetLimit)
        #expect(isQuiet, "The host and the controller exchange packets endlessly")
    }

    /// Exchanges packets until neither side has any, or until the host has received `count`
    /// packets.
    @discardableResult
    mutating func drive(atMost count: Int) -> Bool {
        performActions()
        for _ in 0..<count {
            guard isOpen, let packet = controller.nextPacket() else { return true }
            feed(packet)
        }
        return !controller.hasPackets
    }

    /// Passes bytes to the host as if the controller had sent them.
    mutating func feed(_ bytes: [UInt8]) {
        core.receive(bytes[...])
        while core.receiveNextPacket(now: now) { performActions() }
        performActions()
    }

    /// Advances the clock.
    mutating func advance(by duration: Duration) {
        let end = now + duration
        drive()
        for _ in 0..<Self.packetLimit {
            guard let deadline = core.nextDeadline, deadline <= end else {
                now = end
                return
            }
            now = max(now, deadline)
            core.deadlinePassed(now: now)
            drive()
        }
        Issue.record("The host sets new deadlines endlessly")
    }

    mutating func performActions() {
        while !core.isDrained {
            core.takeActions(into: &actions)
            for action in actions { perform(action) }
            actions.removeAll(keepingCapacity: true)
        }
    }

    private mutating func perform(_ action: HostAction) {
        switch action {
        case .transmit(let packet): if isOpen { controller.receive(packet) }
        case .reopenTransport: open()
        case .closeTransport: if isOpen { closeTransport() }
        case .event(let event): note(event)
        case .completed(let id, let result): completions[id, default: []].append(result)
        case .usesKey: break
        case .recall(let link, let key): core.recalled(store[key], of: link, now: now)
        case .recallDatabase(let link, let key):
            core.recalledDatabase(store[key], of: link, now: now)
        case .save(let bytes, let key): save(bytes, as: key)
        case .remove(let key): store[key] = nil
        case .setAside(let key, let reason):
            guard !failsToSetAside else {
                core.setAsideFailed(key, StoreFault(TransportError.injected("disk full")))
                break
            }
            store[key] = nil
            setAside.append(key)
            core.wasSetAside(key, because: reason)
        case .pairing(let link, let event): pairingEvents.append((link, event))
        case .log(let text): log.append(text)
        }
    }

    private mutating func note(_ event: HostEvent) {
        events.append(event)
        switch event {
        case .stateChanged(let state): states.append(state)
        case .advertised(let scan, let entry): advertisements.append((scan, entry))
        case .linkOpened(let link, let peer, .peripheral): incomingLinks.append((link, peer))
        case .notified(let link, _, let value): notifications.append((link, Array(value)))
        case .served(let link, let event): clientEvents.append((link, event))
        case .disconnected(let link, let reason): ends[link, default: []].append(reason)
        case .advertisingEnded(let set, let end): advertisingEnds[set, default: []].append(end)
        case .security(let event): securityEvents.append(event)
        case .servicesChanged, .databaseOutdated, .linkOpened, .mtuChanged, .parametersChanged:
            break
        }
    }

    /// Reads the entries of the store, as the driver does at the start.
    mutating func openStore() {
        let entries = store.filter { BondInventory.includes($0.key) }
            .sorted { $0.key.description < $1.key.description }
            .map { StoreEntry(key: $0.key, contents: .success($0.value)) }
        core.storeOpened(entries, now: now)
        performActions()
    }

    private mutating func save(_ bytes: [UInt8], as key: StoreKey) {
        if let refusal = core.refusal(ofWriting: key) {
            return core.saveFailed(key, refusal, now: now)
        }
        guard !isStoreFull else {
            return core.saveFailed(key, StoreFault(TransportError.injected("disk full")), now: now)
        }
        store[key] = bytes
        if failsAfterWriting == key {
            failsAfterWriting = nil
            return core.saveFailed(key, StoreFault(TransportError.injected("no sync")), now: now)
        }
        saves.append(key)
        core.saved(key, now: now)
    }

    // MARK: Requests

    mutating func takeRequest() -> RequestIdentifier {
        lastRequest += 1
        return RequestIdentifier(rawValue: lastRequest)
    }

    mutating func requestConnection(
        _ address: DeviceAddress,
        _ options: ConnectOptions = ConnectOptions()
    ) -> RequestIdentifier {
        let id = takeRequest()
        core.requestConnection(address, options: options, id: id, now: now)
        performActions()
        return id
    }

    mutating func scan(
        for filter: ScanFilter = ScanFilter(),
        reportsDuplicates: Bool = false
    ) -> RequestIdentifier {
        let id = takeRequest()
        let request = ScanRequest(
            filter: filter,
            parameters: ScanParameters(),
            reportsDuplicates: reportsDuplicates
        )
        core.startScan(request, id: id, now: now)
        performActions()
        return id
    }

    mutating func advertise(_ advertising: Advertising) -> RequestIdentifier {
        let id = takeRequest()
        core.startAdvertising(advertising, id: id, now: now)
        performActions()
        return id
    }

    mutating func ask(_ request: LinkRequest, of link: LinkIdentifier) -> RequestIdentifier {
        let id = takeRequest()
        core.request(request, of: link, id: id, now: now)
        performActions()
        return id
    }

    /// Connects to a peer, and expects success.
    mutating func connect(_ address: DeviceAddress) throws -> LinkIdentifier {
        let id = requestConnection(address)
        drive()
        return try link(of: id)
    }
}

// Results of requests.
extension Harness {
    /// Returns the result of a request, or `nil` if it is pending. More than one result fails the
    /// test.
    func result(_ id: RequestIdentifier) -> Result<HostAnswer, any Error>? {
        let all = completions[id] ?? []
        #expect(all.count <= 1, "request \(id.rawValue) ended \(all.count) times")
        return all.first
    }

    func isPending(_ id: RequestIdentifier) -> Bool { result(id) == nil }

    func answer(_ id: RequestIdentifier) throws -> HostAnswer {
        try #require(result(id), "The request has no result").get()
    }

    func link(of id: RequestIdentifier) throws -> LinkIdentifier {
        guard case .link(let link, _) = try answer(id) else { throw UnexpectedAnswer() }
        return link
    }

    func error(_ id: RequestIdentifier) -> HostError? {
        guard case .failure(let error)? = result(id) else { return nil }
        return error as? HostError
    }

    struct UnexpectedAnswer: Error {}

    /// Returns the requests that did not end exactly once.
    func unfinished(_ ids: some Sequence<RequestIdentifier>) -> [RequestIdentifier] {
        ids.filter { completions[$0]?.count != 1 }
    }
}

// A short description, since a failed expectation prints it.
extension Harness: CustomStringConvertible {
    var description: String { "harness at \(now), states \(states)" }
}
