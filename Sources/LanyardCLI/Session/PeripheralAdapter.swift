// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothGAP
import BluetoothGATT
import BluetoothHost
import BluetoothPort
import BluetoothTypes

/// An adapter on which `serve` publishes an accessory: the host of this process, or the system's
/// Bluetooth daemon.
protocol PeripheralAdapter: Sendable {
    associatedtype ServingEvents: AsyncSequence<ServingEvent, Never> & Sendable
    associatedtype BondEvents: AsyncSequence<ServeEvent, Never> & Sendable

    /// The time of the adapter's clock.
    var currentTime: Instant { get }
    /// The address of the accessory.
    var servedAddress: DeviceAddress { get async throws }
    /// The types of the attributes that the adapter offers to clients, by handle, as far as it
    /// reports them.
    var attributeTypes: [AttributeHandle: BluetoothUUID] { get async }
    /// The links to clients.
    var clients: [any CentralLink] { get async }

    /// Adds a service to the table that clients discover.
    func publish(_ service: GATT.ServiceDefinition) async throws -> GATT.DiscoveredService
    /// Returns the events of clients from now on, and earlier ones if the adapter kept them. Only
    /// one task can read them.
    func servingEvents() async throws -> ServingEvents
    /// Returns the changes of bonds from now on.
    func bondEvents() async -> BondEvents
    /// Advertises until the set is stopped.
    func startAdvertising(_ advertising: Advertising) async throws -> any ActiveAdvertising
    /// Returns the links to the clients that have subscribed to a value.
    func subscribers(of handle: AttributeHandle) async -> [any CentralLink]
    /// Grants the present clients the authorization that values can require, or withdraws it.
    func authorizeClients(_ isAuthorized: Bool) async throws(ProgramFailure)
    /// Lets clients begin a pairing for some time, or, with `nil`, without a limit.
    func openPairingWindow(for duration: Duration?) async
}

/// Advertising that was started.
protocol ActiveAdvertising: Sendable {
    /// Waits until the advertising ends by itself, and returns the reason in words.
    func endReason() async throws -> String
    func stop() async
}

/// A link to a client of an accessory that this program serves.
protocol CentralLink: Sendable {
    var identifier: LinkIdentifier { get }
    var address: DeviceAddress { get }
    /// The protection of the link; `nil` if the adapter does not report it.
    var protection: LinkSecurity? { get async throws }

    /// Sends a value, and returns when the adapter reports it as sent. Values leave in the order of
    /// the calls.
    func notify(_ value: [UInt8], of handle: AttributeHandle) async throws
    /// Sends a value if it can be sent at once. Returns whether the value is sent.
    func tryNotify(_ value: [UInt8], of handle: AttributeHandle) async throws -> Bool
}

/// An event of the clients of an accessory.
enum ServingEvent: Sendable {
    case connected(any CentralLink)
    case disconnected(any CentralLink, reason: String)
    /// A client reads a value from an offset on. `answer` is called once.
    case read(
        any CentralLink,
        AttributeHandle,
        offset: Int,
        answer: @Sendable (Result<[UInt8], ATT.ErrorCode>) -> Void
    )
    /// A client writes values. `answer` is called once, with `nil` for a success.
    case write(
        any CentralLink,
        [GATT.WriteEntry],
        answer: @Sendable (ServedValues.Refusal?) -> Void
    )
    /// A client has written values that the adapter stores.
    case written(any CentralLink, [GATT.WriteEntry])
    /// A client has subscribed to a value or, with `nil`, unsubscribed.
    case subscribed(any CentralLink, AttributeHandle, GATT.SubscriptionKind?)
    /// The adapter could not offer a published service after all.
    case serviceRefused(BluetoothUUID, reason: String)
}

// The host of this process.

extension BluetoothHost: PeripheralAdapter {
    nonisolated var currentTime: Instant { executor.now }

    var servedAddress: DeviceAddress { identityAddress }

    var clients: [any CentralLink] { links }

    func servingEvents() throws -> AsyncCompactMapSequence<ServerEventStream, ServingEvent> {
        try serverEvents().compactMap { ServingEvent($0) }
    }

    func bondEvents() -> AsyncCompactMapSequence<AsyncStream<SecurityEvent>, ServeEvent> {
        securityEvents().compactMap { $0.serveEvent }
    }

    func startAdvertising(_ advertising: Advertising) async throws -> any ActiveAdvertising {
        try await advertise(advertising)
    }

    func subscribers(of handle: AttributeHandle) -> [any CentralLink] {
        let links: [Link] = subscribers(of: handle)
        return links
    }

    func authorizeClients(_ isAuthorized: Bool) async {
        for link in links { try? await link.authorize(isAuthorized) }
    }
}

extension AdvertisingSet: ActiveAdvertising {
    func endReason() async throws -> String { "\(try await ended())" }
}

extension Link: CentralLink {}

extension ServingEvent {
    /// Creates the event of a host's client; `nil` if `serve` needs no such event.
    fileprivate init?(_ event: ServerEvent) {
        switch event {
        case .connected(let link): self = .connected(link)
        case .disconnected(let link, let error):
            self = .disconnected(link, reason: error.reasonText)
        case .read(let request):
            self = .read(request.link, request.handle, offset: request.offset) { result in
                switch result {
                case .success(let value): request.respond(with: value)
                case .failure(let code): request.refuse(code)
                }
            }
        case .write(let request):
            self = .write(request.link, request.entries) { refusal in
                guard let refusal else { return request.accept() }
                request.refuse(refusal.code, at: refusal.handle)
            }
        case .written(let link, let entries): self = .written(link, entries)
        case .subscribed(let link, let handle, let kind):
            self = .subscribed(link, handle, kind)
        case .readyToNotify: return nil
        }
    }
}
