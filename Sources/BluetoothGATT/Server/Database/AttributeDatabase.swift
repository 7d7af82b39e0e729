// SPDX-License-Identifier: Apache-2.0

import BluetoothATT
import BluetoothTypes

/// A server's table of attributes, in the order of their handles, and the tree of services and
/// characteristics that it was made of.
package struct AttributeDatabase: Sendable {
    /// All attributes, by ascending handle.
    package internal(set) var attributes: [Attribute] = []

    /// All services, by ascending handle; each ends with its last attribute.
    package internal(set) var services: [GATT.Service] = []

    /// The Database Hash as it travels: least significant octet first (Vol 3, Part G, 7.3).
    package internal(set) var hash = DatabaseHash.ofNothing

    /// What the characteristics are, by the handle of their value.
    var characteristics: [AttributeHandle: CharacteristicRecord] = [:]

    package init() {}

    /// The attribute with this handle; nil if there is none.
    package func attribute(_ handle: AttributeHandle) -> Attribute? {
        index(of: handle).map { attributes[$0] }
    }

    /// The attributes whose handles lie in this range.
    package func attributes(in range: ClosedRange<AttributeHandle>) -> ArraySlice<Attribute> {
        let start = firstIndex(notBefore: range.lowerBound)
        let end = range.upperBound.next.map(firstIndex(notBefore:)) ?? attributes.count
        return attributes[start..<end]
    }

    /// The service whose declaration has this handle; nil if there is none.
    package func service(at handle: AttributeHandle) -> GATT.Service? {
        let index = services.firstIndex(from: { $0.handle >= handle })
        guard index < services.count, services[index].handle == handle else { return nil }
        return services[index]
    }

    /// The services whose declarations lie in this range, primary and secondary.
    package func services(
        in range: ClosedRange<AttributeHandle>
    ) -> ArraySlice<GATT.Service> {
        let start = services.firstIndex(from: { $0.handle >= range.lowerBound })
        let end = services.firstIndex(from: { $0.handle > range.upperBound })
        return services[start..<end]
    }

    /// The last handle of the group that this attribute opens, a service or a characteristic, which
    /// is its own for an attribute that opens none (Vol 3, Part G, 2.5.3).
    package func groupEnd(of handle: AttributeHandle) -> AttributeHandle {
        service(at: handle)?.endHandle ?? characteristicEnd(of: handle) ?? handle
    }

    /// The last attribute of the characteristic that is declared here: the one before the next
    /// declaration (Vol 3, Part G, 3.3). Nil if none is declared here.
    private func characteristicEnd(of handle: AttributeHandle) -> AttributeHandle? {
        let declaration = firstIndex(notBefore: handle)
        guard declaration < attributes.count, attributes[declaration].handle == handle,
            attributes[declaration].type == GATT.AttributeType.characteristic
        else { return nil }
        return attributes[(declaration + 1)...].prefix { !$0.isDeclaration }.last?.handle
    }

    /// Changes what the table holds for an attribute whose value it keeps; others stay as they are.
    package mutating func store(_ value: [UInt8], at handle: AttributeHandle) {
        guard let index = index(of: handle) else { return }
        switch attributes[index].value {
        case .fixed: attributes[index].value = .fixed(value)
        case .stored(_, let maximumLength):
            attributes[index].value = .stored(value, maximumLength: maximumLength)
        case .dynamic, .clientConfiguration, .clientSupportedFeatures, .databaseHash: return
        }
    }

    /// Where the attribute is. Most tables have no gaps, and there it is found at once.
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
    /// Whether a service or a characteristic begins here.
    fileprivate var isDeclaration: Bool {
        type == GATT.AttributeType.characteristic || type == GATT.AttributeType.primaryService
            || type == GATT.AttributeType.secondaryService
    }
}

extension Array {
    /// The first index from which on `belongs` is true, in an array where it is false before and
    /// true ever after; the count, if it is true nowhere.
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
