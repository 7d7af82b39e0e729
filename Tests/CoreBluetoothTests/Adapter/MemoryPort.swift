// SPDX-License-Identifier: Apache-2.0

import BluetoothGATT
import BluetoothPort
import Synchronization

/// An adapter without a controller: one peripheral that advertises, and a server with one
/// characteristic, all in memory. By default, it is a central only, and declares no capability.
/// With `isServer`, it publishes services and accepts channels.
final class MemoryPort: BluetoothPort {
    static let name = "Thermometer"
    private static let address = DeviceAddress(value: 0xC000_0000_0001, kind: .random)
    static let peer = PeerIdentifier(bytes: [UInt8](repeating: 7, count: 16))
    private static let request = RequestIdentifier(rawValue: 1)
    static let psm = L2CAP.SPSM(rawValue: 0x80)

    static let value = GATT.Characteristic(
        uuid: BluetoothUUID(0x2A6E),
        handle: AttributeHandle(2),
        valueHandle: AttributeHandle(3),
        properties: [.read, .notify],
        endHandle: AttributeHandle(4)
    )

    static let database = GATT.Database(services: [
        GATT.DiscoveredService(
            service: GATT.Service(
                uuid: BluetoothUUID(0x181A),
                isPrimary: true,
                handle: AttributeHandle(1),
                endHandle: AttributeHandle(4)
            ),
            characteristics: [
                GATT.DiscoveredCharacteristic(
                    characteristic: value,
                    descriptors: [
                        GATT.Descriptor(
                            uuid: GATT.AttributeType.clientCharacteristicConfiguration,
                            handle: AttributeHandle(4)
                        )
                    ]
                )
            ]
        )
    ])

    fileprivate struct State {
        weak var observer: (any PortObserver)?
        var linkCount: UInt64 = 0
        var records: [String: [UInt8]]
        var advertisingResults: [Result<Void, PortError>]
        var sets: Set<RequestIdentifier> = []
        var setCount: UInt64 = 0
        var attributes = AttributeDatabase()
        var services: [GATT.DiscoveredService] = []
        var accepted: (@Sendable (any PortChannel) -> Void)?
    }

    let executor: any HostExecutor
    let capabilities: PortCapabilities
    /// The number of links that end while the database is being read.
    private let lostLinkCount: UInt64
    private let state: Mutex<State>

    /// Creates a port.
    ///
    /// - Parameters:
    ///   - executor: The executor of the port.
    ///   - records: The stored records.
    ///   - lostLinkCount: The number of links that end while the database is being read.
    ///   - advertisingResults: The results of the starts and changes of advertising, in order. If
    ///     there are none, the port cannot advertise.
    ///   - isServer: Whether the port publishes services and accepts channels.
    init(
        executor: any HostExecutor,
        records: [String: [UInt8]] = [:],
        lostLinkCount: UInt64 = 0,
        advertisingResults: [Result<Void, PortError>] = [],
        isServer: Bool = false
    ) {
        self.executor = executor
        self.lostLinkCount = lostLinkCount
        var capabilities: PortCapabilities = advertisingResults.isEmpty ? [] : .advertising
        if isServer { capabilities.formUnion([.server, .channels]) }
        self.capabilities = capabilities
        state = Mutex(State(records: records, advertisingResults: advertisingResults))
    }

    var scanLimit: Int { 1 }

    func attach(_ observer: any PortObserver) { state.withLock { $0.observer = observer } }
    func open() { report(.stateChanged(.ready)) }
    func shutDown() async { report(.stateChanged(.closed)) }
    func change(to state: PortState) { report(.stateChanged(state)) }

    func identifier(of address: DeviceAddress) -> PeerIdentifier { Self.peer }
    func knownDatabase(of link: LinkIdentifier) -> GATT.Database? { nil }

    func startScan(
        _ scan: PortScan,
        failed: @escaping @Sendable (any Error) -> Void
    ) -> RequestIdentifier {
        var data = AdvertisingData.Builder()
        try? data.append(.completeLocalName, Array(Self.name.utf8))
        let advertisement = Advertisement(address: Self.address, rssi: -40, data: data.data)
        report(.advertised(scan: Self.request, advertisement))
        return Self.request
    }

    func endScan(_ scan: RequestIdentifier) {}

    func connect(
        to peer: PeerIdentifier,
        failed: @escaping @Sendable (PortError) -> Void
    ) -> RequestIdentifier {
        let link = state.withLock { state in
            state.linkCount += 1
            return LinkIdentifier(rawValue: state.linkCount)
        }
        report(.linkOpened(link, peer, isIncoming: false))
        return Self.request
    }

    func cancelConnectionRequest(_ request: RequestIdentifier) {}

    func begin(
        _ request: PortRequest,
        on link: LinkIdentifier,
        then completion: @escaping PortCompletion<PortAnswer>
    ) {
        if case .database = request, link.rawValue <= lostLinkCount {
            executor.perform { completion(.failure(PortError.linkEnded(.timeout))) }
            return report(.linkClosed(link, .linkEnded(.timeout)))
        }
        executor.perform { completion(Self.answer(to: request)) }
        switch request {
        case .gatt(.subscribe(let handle, _, _), _): report(.notified(link, handle, [22]))
        case .disconnect: report(.linkClosed(link, .linkEnded(.unknown)))
        default: break
        }
    }

    private static func answer(to request: PortRequest) -> Result<PortAnswer, any Error> {
        switch request {
        case .database: database.map { .success(.database($0)) } ?? .failure(PortError.unanswered)
        case .gatt(.readLong(value.valueHandle), _): .success(.gatt(.value([21])))
        case .gatt(.subscribe, _), .gatt(.unsubscribe, _): .success(.gatt(.done))
        case .readRSSI: .success(.rssi(-40))
        case .disconnect: .success(.done)
        case .gatt, .updateParameters, .pair: .failure(PortError.unsupported([]))
        }
    }

    // MARK: Advertising

    func advertise(
        _ advertising: Advertising,
        then completion: @escaping PortCompletion<Void>
    ) -> RequestIdentifier {
        guard capabilities.contains(.advertising) else {
            executor.perform { completion(.failure(PortError.unsupported(.advertising))) }
            return Self.request
        }
        let (set, result) = state.withLock { state in
            state.setCount += 1
            let set = RequestIdentifier(rawValue: state.setCount)
            let result = state.takeAdvertisingResult()
            if case .success = result { state.sets.insert(set) }
            return (set, result)
        }
        executor.perform { completion(result.mapError { $0 }) }
        return set
    }

    func update(
        _ set: RequestIdentifier,
        to advertising: Advertising,
        then completion: @escaping PortCompletion<Void>
    ) {
        let result = state.withLock { state in
            state.sets.contains(set)
                ? state.takeAdvertisingResult() : .failure(PortError.refused(.unknown))
        }
        executor.perform { completion(result.mapError { $0 }) }
    }

    func endAdvertising(_ set: RequestIdentifier) {
        state.withLock { _ = $0.sets.remove(set) }
    }

    // MARK: Services and channels

    /// The published services.
    var services: [GATT.DiscoveredService] { state.withLock { $0.services } }

    func publish(_ definition: GATT.ServiceDefinition) throws -> GATT.DiscoveredService {
        guard capabilities.contains(.server) else { throw PortError.unsupported(.server) }
        return try state.withLock { state in
            let service = try state.attributes.publish(definition)
            state.services.append(service)
            return service
        }
    }

    func unpublish(_ service: GATT.DiscoveredService) throws {
        try state.withLock { state in
            _ = try state.attributes.unpublish(service.service.handle)
            state.services.removeAll { $0 == service }
        }
    }

    /// Removes the published services, as if a daemon had refused them.
    func refuseServices() throws {
        for service in services {
            try unpublish(service)
            report(.publishingFailed(service, .other("refused")))
        }
    }

    func listen(
        requiresEncryption: Bool,
        accepted: @escaping @Sendable (any PortChannel) -> Void
    ) throws -> L2CAP.SPSM {
        guard capabilities.contains(.channels) else { throw PortError.unsupported(.channels) }
        state.withLock { $0.accepted = accepted }
        return Self.psm
    }

    /// Reports a channel of a peer to the latest listener, even if that has stopped.
    func accept(_ channel: MemoryChannel) {
        executor.perform { self.state.withLock { $0.accepted }?(channel) }
    }

    // MARK: Records

    func record(_ name: String) -> [UInt8]? { state.withLock { $0.records[name] } }

    func storeRecord(_ bytes: [UInt8]?, _ name: String) -> Bool {
        state.withLock { $0.records[name] = bytes }
        return true
    }

    private func report(_ event: PortEvent) {
        executor.perform { self.state.withLock { $0.observer }?.portDid(event) }
    }
}

extension MemoryPort.State {
    /// Returns the next result. After the last one, advertising succeeds.
    fileprivate mutating func takeAdvertisingResult() -> Result<Void, PortError> {
        advertisingResults.isEmpty ? .success(()) : advertisingResults.removeFirst()
    }
}

/// A channel without data that records that it was closed.
final class MemoryChannel: PortChannel {
    let psm = MemoryPort.psm
    let link = LinkIdentifier(rawValue: 1)
    let sendMTU = 64
    let receiveMTU = 64
    private let executor: any HostExecutor
    private let state = Mutex(false)

    var isClosed: Bool { state.withLock { $0 } }

    init(on executor: any HostExecutor) { self.executor = executor }

    func execute(_ body: @escaping @Sendable (any ChannelOperations) -> Void) {
        executor.perform { body(Operations(channel: self)) }
    }

    func beginOutsideWork() {}
    func endOutsideWork() {}

    private struct Operations: ChannelOperations {
        let channel: MemoryChannel

        func receive(then: @escaping @Sendable (Result<[UInt8]?, ChannelEnd>) -> Void) {}
        func send(
            _ sdu: [UInt8],
            then: @escaping @Sendable (Result<Void, ChannelEnd>) -> Void
        ) {}
        func close() { channel.state.withLock { $0 = true } }
        func awaitEnd(then: @escaping @Sendable (ChannelEnd) -> Void) {}
    }
}
