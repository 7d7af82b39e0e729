// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
    import Foundation

    /// The classes whose properties can be observed: managers and peripherals.
    ///
    /// Not part of Apple's framework, where every `NSObject` has
    /// `observe(_:options:changeHandler:)`. Foundation for Linux has no key-value observing. A
    /// protocol is necessary because only a protocol can name the key paths of the class that
    /// conforms to it, `KeyPath<Self, Value>`.
    public protocol CBKeyValueObserving: NSObject {}

    extension CBManager: CBKeyValueObserving {}
    extension CBPeripheral: CBKeyValueObserving {}

    extension CBKeyValueObserving where Self: CBManager {
        /// Observes a property: `state`, `isScanning` of a central manager, or `isAdvertising` of a
        /// peripheral manager.
        ///
        /// The handler is called after each change, before the delegate is called. A change by an
        /// event is reported on the manager's queue, and a change by a command such as `stopScan`
        /// on the caller's thread. Other properties can be observed only if they are computed from
        /// these.
        ///
        /// ```swift
        /// observation = manager.observe(\.state, options: [.initial, .new]) { manager, change in
        ///     show(manager.state)
        /// }
        /// ```
        ///
        /// - Parameters:
        ///   - keyPath: The property. Reading it must not change the manager.
        ///   - options: The values that the change has, and whether the handler is called at once.
        ///   - changeHandler: Gets the manager and the change.
        /// - Returns: The observation, which ends when it is released or invalidated.
        @preconcurrency
        public func observe<Value: Equatable>(
            _ keyPath: KeyPath<Self, Value>,
            options: NSKeyValueObservingOptions = [],
            changeHandler: @escaping @Sendable (Self, NSKeyValueObservedChange<Value>) -> Void
        ) -> NSKeyValueObservation {
            observers.observe(keyPath, of: self, options, changeHandler)
        }
    }

    extension CBKeyValueObserving where Self: CBPeripheral {
        /// Observes a property: `state`, `name` or `services`.
        ///
        /// The handler is called after each change, before the delegate is called. A change by an
        /// event is reported on the manager's queue, and a change by `connect` or
        /// `cancelPeripheralConnection` on the caller's thread. Other properties can be observed
        /// only if they are computed from these.
        ///
        /// - Parameters:
        ///   - keyPath: The property. Reading it must not change the peripheral.
        ///   - options: The values that the change has, and whether the handler is called at once.
        ///   - changeHandler: Gets the peripheral and the change.
        /// - Returns: The observation, which ends when it is released or invalidated.
        @preconcurrency
        public func observe<Value: Equatable>(
            _ keyPath: KeyPath<Self, Value>,
            options: NSKeyValueObservingOptions = [],
            changeHandler: @escaping @Sendable (Self, NSKeyValueObservedChange<Value>) -> Void
        ) -> NSKeyValueObservation {
            observers.observe(keyPath, of: self, options, changeHandler)
        }
    }
#endif
