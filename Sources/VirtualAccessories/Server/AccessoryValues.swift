// SPDX-License-Identifier: Apache-2.0
import BluetoothATT
import BluetoothGATT
import BluetoothTypes

/// The values of an accessory's characteristics, by UUID.
public struct AccessoryValues: Sendable {
    /// Holds all values but those that a reaction judges.
    var server = GATTServer()

    /// What the characteristics do, by the handles of their values.
    private(set) var characteristics: [AttributeHandle: AccessoryProfile.Characteristic] = [:]

    /// The first characteristic with each UUID.
    private var handles: [BluetoothUUID: AttributeHandle] = [:]

    /// The services: where they are, and where the values in them are.
    private var services:
        [(uuid: BluetoothUUID, handle: AttributeHandle, values: [AttributeHandle])] =
            []

    /// The values that a reaction judges.
    private var judged: [AttributeHandle: [UInt8]] = [:]

    /// The value of the first characteristic with the UUID; empty, and not to be set, if there is
    /// none. What is longer than 512 octets is cut off there.
    public subscript(uuid: BluetoothUUID) -> [UInt8] {
        get {
            guard let handle = handles[uuid] else { return [] }
            return judged[handle] ?? server.value(of: handle) ?? []
        }
        set {
            guard let handle = handles[uuid] else { return }
            let value = Array(newValue.prefix(ATT.valueLengthLimit))
            if judged[handle] == nil {
                try? server.setValue(value, of: handle)
            } else {
                judged[handle] = value
            }
        }
    }

    /// Where the value of the first characteristic with the UUID is.
    func handle(of uuid: BluetoothUUID) -> AttributeHandle? { handles[uuid] }

    /// Notes what the characteristics of a service do.
    mutating func add(_ service: AccessoryProfile.Service, as published: GATT.PublishedService) {
        for (characteristic, place) in zip(service.characteristics, published.characteristics) {
            let handle = place.valueHandle
            characteristics[handle] = characteristic
            if handles[characteristic.uuid] == nil { handles[characteristic.uuid] = handle }
            if characteristic.reaction != nil { judged[handle] = characteristic.value }
        }
        let values = published.characteristics.map(\.valueHandle)
        services.append((service.uuid, published.service.handles.lowerBound, values))
    }

    /// Where the services with a UUID begin.
    func handles(ofServices uuid: BluetoothUUID) -> [AttributeHandle] {
        services.filter { $0.uuid == uuid }.map(\.handle)
    }

    /// Notes that a service is gone.
    mutating func remove(service handle: AttributeHandle) {
        guard let index = services.firstIndex(where: { $0.handle == handle }) else { return }
        for value in services.remove(at: index).values {
            let uuid = characteristics.removeValue(forKey: value)?.uuid
            judged[value] = nil
            guard let uuid, handles[uuid] == value else { continue }
            handles[uuid] = characteristics.filter { $0.value.uuid == uuid }.keys.min()
        }
    }

    /// A value that a reaction judges, from an offset on.
    func judgedValue(
        of handle: AttributeHandle,
        from offset: Int
    ) -> Result<[UInt8], ATT.ErrorCode> {
        let value = judged[handle] ?? []
        guard offset <= value.count else { return .failure(.invalidOffset) }
        return .success(Array(value.dropFirst(offset)))
    }

    /// What is written, as a whole: a part goes over what is there. Nil if it begins beyond the end.
    func written(by entry: GATT.WriteEntry) -> [UInt8]? {
        guard entry.offset > 0 else { return entry.value }
        let value = judged[entry.handle] ?? []
        guard entry.offset <= value.count else { return nil }
        let tail = value.dropFirst(entry.offset + entry.value.count)
        return value.prefix(entry.offset) + entry.value + tail
    }
}
