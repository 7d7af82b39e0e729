// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes

/// A server's attributes in the order of their handles, and its services and characteristics.
package struct AttributeDatabase: Sendable {
    /// All attributes, in ascending order of their handles.
    package internal(set) var attributes: [Attribute] = []

    /// All services, in ascending order of their handles. Each ends with its last attribute.
    package internal(set) var services: [GATT.Service] = []

    /// The Database Hash in transmission order, least significant byte first (Vol 3, Part G, 7.3).
    package internal(set) var hash = DatabaseHash.empty

    /// The characteristics, keyed by the handle of their value.
    var characteristics: [AttributeHandle: CharacteristicRecord] = [:]

    package init() {}

    /// Returns the attribute with this handle, or `nil` if there is none.
    package func attribute(_ handle: AttributeHandle) -> Attribute? {
        index(of: handle).map { attributes[$0] }
    }

    /// Returns the attributes with handles in this range.
    package func attributes(in range: ClosedRange<AttributeHandle>) -> ArraySlice<Attribute> {
        let start = firstIndex(notBefore: range.lowerBound)
        let end = range.upperBound.next.map(firstIndex(notBefore:)) ?? attributes.count
        return attributes[start..<end]
    }

    /// Returns the service whose declaration has this handle, or `nil` if there is none.
    package func service(at handle: AttributeHandle) -> GATT.Service? {
        let index = services.firstIndex(from: { $0.handle >= handle })
        guard index < services.count, services[index].handle == handle else { return nil }
        return services[index]
    }

    /// Returns the primary and secondary services whose declarations are in this range.
    package func services(
        in range: ClosedRange<AttributeHandle>
    ) -> ArraySlice<GATT.Service> {
        let start = services.firstIndex(from: { $0.handle >= range.lowerBound })
        let end = services.firstIndex(from: { $0.handle > range.upperBound })
        return services[start..<end]
    }

    /// Returns the last handle of the group that starts with this attribute: a service or a
    /// characteristic. The result is the attribute's own handle if it does not start a group (Vol
    /// 3, Part G, 2.5.3).
    package func groupEnd(of handle: AttributeHandle) -> AttributeHandle {
        service(at: handle)?.endHandle ?? characteristicEnd(of: handle) ?? handle
    }

    /// Returns the last handle of the characteristic that is declared here, which is before the
    /// next declaration (Vol 3, Part G, 3.3). The result is `nil` if none is declared here.
    private func characteristicEnd(of handle: AttributeHandle) -> AttributeHandle? {
        let declaration = firstIndex(notBefore: handle)
        guard declaration < attributes.count, attributes[declaration].handle == handle,
            attributes[declaration].type == GATT.AttributeType.characteristic
        else { return nil }
        return attributes[(declaration + 1)...].prefix { !$0.isDeclaration }.last?.handle
    }

    /// Replaces the value of an attribute. Does nothing if the value is not in the database.
    package mutating func store(_ value: [UInt8], at handle: AttributeHandle) {
        guard let index = index(of: handle) else { return }
        switch attributes[index].value {
        case .fixed: attributes[index].value = .fixed(value)
        case .stored(_, let maximumLength):
            attributes[index].value = .stored(value, maximumLength: maximumLength)
        case .dynamic, .clientConfiguration, .clientSupportedFeatures, .databaseHash: return
        }
    }

    /// Returns the index of an attribute. In a database without gaps, the first guess is correct.
    private func index(of handle: AttributeHandle) -> Int? {
        guard let first = attributes.first?.handle, handle >= first else { return nil }
        let guess = Int(handle.rawValue - first.rawValue)
        if guess < attributes.count, attributes[guess].handle == handle { return guess }
        let index = firstIndex(notBefore: handle)
        guard index < attributes.count, attributes[index].handle == handle else { return nil }
        return index
    }

    func firstIndex(notBefore handle: AttributeHandle) -> Int {
        attributes.firstIndex(from: { $0.handle >= handle })
    }
}

extension Attribute {
    /// Whether a service or a characteristic starts with this attribute.
    fileprivate var isDeclaration: Bool {
        type == GATT.AttributeType.characteristic || type == GATT.AttributeType.primaryService
            || type == GATT.AttributeType.secondaryService
    }
}

extension Array {
    /// Returns the first index at which `belongs` is `true`, by binary search.
    ///
    /// The elements for which `belongs` is `false` must precede those for which it is `true`. The
    /// result is `count` if it is `true` for none.
    func firstIndex(from belongs: (Element) -> Bool) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if belongs(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
