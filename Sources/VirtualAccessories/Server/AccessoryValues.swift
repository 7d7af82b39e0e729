// SPDX-License-Identifier: Apache-2.0
import BluetoothATT
import BluetoothGATT
import BluetoothTypes

/// The values of an accessory's characteristics, by UUID.
public struct AccessoryValues: Sendable {
    /// The server, which has all values except those with a reaction.
    var server = GATTServer()

    /// The number of links since the last start of the accessory, including the current one.
    public internal(set) var linkCount = 0

    /// The characteristics, by the handles of their values.
    private(set) var characteristics: [AttributeHandle: SimpleAccessoryProfile.Characteristic] = [:]

    /// The handle of the first characteristic with each UUID.
    private var handles: [BluetoothUUID: AttributeHandle] = [:]

    /// The services with their handles and the handles of their values.
    private var services: [PublishedService] = []

    private struct PublishedService {
        let uuid: BluetoothUUID
        let includes: [BluetoothUUID]
        let handle: AttributeHandle
        let values: [AttributeHandle]
    }

    /// The values with a reaction.
    private var reactiveValues: [AttributeHandle: [UInt8]] = [:]

    /// The value of the first characteristic with the UUID. Without such a characteristic it is
    /// empty and cannot be set. A value of more than 512 bytes is cut off.
    public subscript(uuid: BluetoothUUID) -> [UInt8] {
        get {
            guard let handle = handles[uuid] else { return [] }
            return reactiveValues[handle] ?? server.value(of: handle) ?? []
        }
        set {
            guard let handle = handles[uuid] else { return }
            let value = Array(newValue.prefix(ATT.valueLengthLimit))
            if reactiveValues[handle] == nil {
                try? server.setValue(value, of: handle)
            } else {
                reactiveValues[handle] = value
            }
        }
    }

    /// Returns the handle of the value of the first characteristic with the UUID.
    func handle(of uuid: BluetoothUUID) -> AttributeHandle? { handles[uuid] }

    /// Returns whether a service with the UUID has a characteristic with the UUID.
    func hasValue(of uuid: BluetoothUUID, in service: BluetoothUUID) -> Bool {
        services.contains { published in
            published.uuid == service
                && published.values.contains { characteristics[$0]?.uuid == uuid }
        }
    }

    /// Adds the characteristics of a service that was published.
    mutating func add(
        _ service: SimpleAccessoryProfile.Service,
        as published: GATT.DiscoveredService
    ) {
        for (characteristic, found) in zip(service.characteristics, published.characteristics) {
            let handle = found.valueHandle
            characteristics[handle] = characteristic
            if handles[characteristic.uuid] == nil { handles[characteristic.uuid] = handle }
            if characteristic.reaction != nil { reactiveValues[handle] = characteristic.value }
        }
        let values = published.characteristics.map(\.valueHandle)
        services.append(
            PublishedService(
                uuid: service.uuid,
                includes: service.includes,
                handle: published.service.handles.lowerBound,
                values: values
            )
        )
    }

    /// Returns the first handle of each service with the UUID, and of each service that includes
    /// one of these directly or indirectly. A service comes after those that include it, because
    /// the caller must remove them first.
    func handles(ofServices uuid: BluetoothUUID) -> [AttributeHandle] {
        var found: Set = [uuid]
        let wanted = services.filter { service in
            guard service.uuid == uuid || !found.isDisjoint(with: service.includes) else {
                return false
            }
            found.insert(service.uuid)
            return true
        }
        return wanted.reversed().map(\.handle)
    }

    /// Removes a service.
    mutating func remove(service handle: AttributeHandle) {
        guard let index = services.firstIndex(where: { $0.handle == handle }) else { return }
        for value in services.remove(at: index).values {
            let uuid = characteristics.removeValue(forKey: value)?.uuid
            reactiveValues[value] = nil
            guard let uuid, handles[uuid] == value else { continue }
            handles[uuid] = characteristics.filter { $0.value.uuid == uuid }.keys.min()
        }
    }

    /// Returns a value with a reaction, from an offset on.
    func reactiveValue(
        of handle: AttributeHandle,
        from offset: Int
    ) -> Result<[UInt8], ATT.ErrorCode> {
        let value = reactiveValues[handle] ?? []
        guard offset <= value.count else { return .failure(.invalidOffset) }
        return .success(Array(value.dropFirst(offset)))
    }

    /// Returns the whole value after a write. A partial write replaces the bytes at its offset.
    ///
    /// - Returns: The value; `nil` if the offset is beyond the end of the current value.
    func written(by entry: GATT.WriteEntry) -> [UInt8]? {
        guard entry.offset > 0 else { return entry.value }
        let value = reactiveValues[entry.handle] ?? []
        guard entry.offset <= value.count else { return nil }
        let tail = value.dropFirst(entry.offset + entry.value.count)
        return value.prefix(entry.offset) + entry.value + tail
    }
}
