// SPDX-License-Identifier: Apache-2.0

import BluetoothClients

#if os(Linux)
    /// The observations of one object.
    ///
    /// On Linux, a key path does not state which property it names. After each change of the
    /// object, every observation therefore compares the value of its key path with the last one.
    final class KeyValueObservers: Sendable {
        /// Held weakly: an observation ends when the app releases it.
        private let observations = LockedState<[WeakReference<NSKeyValueObservation>]>([])

        /// Begins an observation.
        ///
        /// - Parameters:
        ///   - keyPath: The observed property.
        ///   - object: The object, held weakly.
        ///   - options: The values that a change contains, and whether the handler is called at
        ///     once.
        ///   - handler: Called after each change, without a lock.
        func observe<Object: AnyObject, Value: Equatable>(
            _ keyPath: KeyPath<Object, Value>,
            of object: Object,
            _ options: NSKeyValueObservingOptions,
            _ handler: @escaping (Object, NSKeyValueObservedChange<Value>) -> Void
        ) -> NSKeyValueObservation {
            let first = object[keyPath: keyPath]
            let last = LockedState(first)
            let observation = NSKeyValueObservation { [weak object] in
                guard let object else { return }
                // The value is read under the lock, so that the later of two comparisons has the
                // newer value.
                let (old, new) = last.change { last in
                    let old = last
                    last = object[keyPath: keyPath]
                    return (old, last)
                }
                guard old != new else { return }
                handler(object, NSKeyValueObservedChange(from: old, to: new, options))
            }
            observations.change { observations in
                observations.removeAll { $0.object == nil }
                observations.append(WeakReference(observation))
            }
            if options.contains(.initial) {
                handler(object, NSKeyValueObservedChange(from: nil, to: first, options))
            }
            // Reports a change that occurred before the observation was added.
            observation.compare()
            return observation
        }

        /// Calls the handlers of the properties that changed. The caller must not hold a lock.
        func report() {
            for observation in observations.current.compactMap(\.object) { observation.compare() }
        }
    }
#else
    /// A type without observations, because Foundation's `observe` on Apple's platforms needs
    /// properties of Objective-C.
    final class KeyValueObservers: Sendable {
        func report() {}
    }
#endif
