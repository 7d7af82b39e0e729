// SPDX-License-Identifier: Apache-2.0

import BluetoothPort
import Synchronization

/// An adapter without a controller: one peripheral that advertises, and a server with one
/// characteristic, all in memory. It is a central only, and declares no capability.
final class MemoryPort: BluetoothPort {
    static let name = "Thermometer"
    private static let address = DeviceAddress(value: 0xC000_0000_0001, kind: .random)
    private static let peer = PeerIdentifier(bytes: [UInt8](repeating: 7, count: 16))
    private static let link = LinkIdentifier(rawValue: 1)
    private static let request = RequestIdentifier(rawValue: 1)

    private static let value = GATT.Characteristic(
        uuid: BluetoothUUID(0x2A6E),
        handle: AttributeHandle(2),
        valueHandle: AttributeHandle(3),
        properties: [.read, .notify],
        endHandle: AttributeHandle(4)
    )

    private static let database = GATT.Database(services: [
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

    private struct State {
        weak var observer: (any PortObserver)?
    }

    let executor: any HostExecutor
    private let state = Mutex(State())

    init(executor: any HostExecutor) { self.executor = executor }

    var capabilities: PortCapabilities { [] }
    var scanLimit: Int { 1 }

    func attach(_ observer: any PortObserver) { state.withLock { $0.observer = observer } }
    func open() { report(.stateChanged(.ready)) }
    func shutDown() async { report(.stateChanged(.closed)) }

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
        report(.linkOpened(Self.link, peer, isIncoming: false))
        return Self.request
    }

    func cancelConnectionRequest(_ request: RequestIdentifier) {}

    func begin(
        _ request: PortRequest,
        on link: LinkIdentifier,
        then completion: @escaping PortCompletion<PortAnswer>
    ) {
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

    private func report(_ event: PortEvent) {
        executor.perform { self.state.withLock { $0.observer }?.portDid(event) }
    }
}
