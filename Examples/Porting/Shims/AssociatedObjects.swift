// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// The way in which an object holds an associated value.
public enum objc_AssociationPolicy: UInt, Sendable {
    /// Weakly, which is safer than Apple's unowned reference.
    case OBJC_ASSOCIATION_ASSIGN = 0
    /// Strongly.
    case OBJC_ASSOCIATION_RETAIN_NONATOMIC = 1
    /// Strongly: a copy, if the value is an `NSCopying` object.
    case OBJC_ASSOCIATION_COPY_NONATOMIC = 3
    /// Strongly.
    case OBJC_ASSOCIATION_RETAIN = 769
    /// Strongly: a copy, if the value is an `NSCopying` object.
    case OBJC_ASSOCIATION_COPY = 771
}

/// Associates a value with an object. `nil` removes the value of the key.
///
/// Linux has no callback for the deallocation of an object. The values of a deallocated object
/// therefore stay in a table until a later call of this function releases them. The first release
/// is due when the table has 64 objects. Each later one is due when the table has at least 64
/// objects, and twice as many as after the release before.
public func objc_setAssociatedObject(
    _ object: AnyObject,
    _ key: UnsafeRawPointer,
    _ value: Any?,
    _ policy: objc_AssociationPolicy
) {
    // The former value is released after the lock, because its end may call this function.
    let released = table.withLock { $0.set(value.map { policy.hold($0) }, key, of: object) }
    withExtendedLifetime(released) {}
}

/// Returns the value of a key that is associated with an object.
public func objc_getAssociatedObject(_ object: AnyObject, _ key: UnsafeRawPointer) -> Any? {
    table.withLock { $0.value(key, of: object) }.value
}

/// Removes all values that are associated with an object.
public func objc_removeAssociatedObjects(_ object: AnyObject) {
    let released = table.withLock { $0.remove(object) }
    withExtendedLifetime(released) {}
}

/// The number of objects in the table, for tests.
var associatedObjectCount: Int { table.withLock { $0.count } }

private let table = Mutex(AssociationTable())

extension objc_AssociationPolicy {
    fileprivate func hold(_ value: Any) -> Held {
        switch self {
        case .OBJC_ASSOCIATION_ASSIGN: Held(weakly: value as AnyObject)
        case .OBJC_ASSOCIATION_COPY, .OBJC_ASSOCIATION_COPY_NONATOMIC:
            Held((value as? any NSCopying)?.copy(with: nil) ?? value)
        default: Held(value)
        }
    }
}

/// A value of an object.
///
/// Unchecked: it does not change, and the app decides, as on Apple's platforms, which
/// threads use the value.
private final class Held: @unchecked Sendable {
    private let strong: Any?
    private weak var object: AnyObject?

    init(_ value: Any?) {
        strong = value
    }

    init(weakly object: AnyObject) {
        strong = nil
        self.object = object
    }

    var value: Any? { strong ?? object }
}

/// A value that a call reads from the table.
private struct Taken: @unchecked Sendable {
    // Unchecked: see `Held`.
    var value: Any?
}

/// The values of all objects.
private struct AssociationTable: Sendable {
    /// The values of one object. After its deallocation, its identifier may belong to another
    /// object.
    private struct Entry: @unchecked Sendable {
        // Unchecked: the reference is read under the lock of the table.
        weak var owner: AnyObject?
        var values: [UnsafeRawPointer: Held] = [:]
    }

    private var entries: [ObjectIdentifier: Entry] = [:]
    /// The number of entries at which the entries of deallocated objects are removed.
    private var sweepCount = 64

    var count: Int { entries.count }

    mutating func set(_ held: Held?, _ key: UnsafeRawPointer, of object: AnyObject) -> [Held] {
        let identifier = ObjectIdentifier(object)
        var released = entries.count >= sweepCount ? sweep() : []
        if let entry = entries[identifier], entry.owner == nil {
            released += entry.values.values
            entries[identifier] = nil
        }
        var entry = entries[identifier] ?? Entry(owner: object)
        if let former = entry.values.removeValue(forKey: key) { released.append(former) }
        entry.values[key] = held
        entries[identifier] = entry.values.isEmpty ? nil : entry
        return released
    }

    func value(_ key: UnsafeRawPointer, of object: AnyObject) -> Taken {
        guard let entry = entries[ObjectIdentifier(object)], entry.owner != nil else {
            return Taken()
        }
        return Taken(value: entry.values[key]?.value)
    }

    mutating func remove(_ object: AnyObject) -> [Held] {
        Array((entries.removeValue(forKey: ObjectIdentifier(object))?.values ?? [:]).values)
    }

    private mutating func sweep() -> [Held] {
        let ended = entries.filter { $0.value.owner == nil }
        for identifier in ended.keys { entries[identifier] = nil }
        sweepCount = max(64, 2 * entries.count)
        return ended.values.flatMap { $0.values.values }
    }
}
