// SPDX-License-Identifier: Apache-2.0

import BluetoothClients

#if os(Linux)
    import Foundation

    // The types of key-value observation that Foundation for Linux lacks.
    // `NSKeyValueObservingOptions` has no `prior`, because no change is reported before it happens.

    /// An observation of a property, which ends when it is released.
    ///
    /// Made by `observe(_:options:changeHandler:)` of a manager or peripheral.
    public final class NSKeyValueObservation: NSObject, Sendable {
        /// Compares the property with its last value; `nil` after the end of the observation.
        private let comparison: LockedState<(() -> Void)?>

        init(_ comparison: @escaping () -> Void) {
            self.comparison = LockedState(comparison)
        }

        /// Ends the observation. Can be called on any thread, any number of times. A call of the
        /// handler that has begun on another thread still completes.
        public func invalidate() {
            // The closure is released outside the lock, because it retains objects of the
            // app.
            _ = comparison.change { comparison in
                defer { comparison = nil }
                return comparison
            }
        }

        /// Calls the handler if the property has changed since the last comparison.
        func compare() {
            comparison.current?()
        }
    }

    /// A change of an observed property.
    public struct NSKeyValueObservedChange<Value> {
        /// The kind of a change.
        public typealias Kind = NSKeyValueChange

        /// The kind of the change, which is always `setting`.
        public let kind: Kind
        /// The value after the change; `nil` unless the options contain `new`.
        public let newValue: Value?
        /// The value before the change; `nil` unless the options contain `old`, and in the first
        /// call for the option `initial`.
        public let oldValue: Value?
        /// The changed elements of a collection. Always `nil`: a change replaces the whole value.
        public let indexes: IndexSet?
        /// Whether the handler is called before the change. Always `false`.
        public let isPrior: Bool

        init(from oldValue: Value?, to newValue: Value, _ options: NSKeyValueObservingOptions) {
            kind = .setting
            self.newValue = options.contains(.new) ? newValue : nil
            self.oldValue = options.contains(.old) ? oldValue : nil
            indexes = nil
            isPrior = false
        }
    }

    /// The kind of a change, with the raw values of Apple's enumeration.
    public enum NSKeyValueChange: UInt, Sendable {
        /// The value was set.
        case setting = 1
        /// Elements were inserted into a collection. Not reported by this module.
        case insertion = 2
        /// Elements were removed from a collection. Not reported by this module.
        case removal = 3
        /// Elements of a collection were replaced. Not reported by this module.
        case replacement = 4
    }

    /// The options of an observation, with the raw values of Apple's options.
    public struct NSKeyValueObservingOptions: OptionSet, Sendable {
        /// The bits of the options.
        public let rawValue: UInt

        /// Creates options from their bits.
        public init(rawValue: UInt) {
            self.rawValue = rawValue
        }

        /// The change has the new value.
        public static let new = NSKeyValueObservingOptions(rawValue: 1)
        /// The change has the old value.
        public static let old = NSKeyValueObservingOptions(rawValue: 2)
        /// The handler is also called at once. With `new`, the change has the value at that time.
        public static let initial = NSKeyValueObservingOptions(rawValue: 4)
    }
#endif
