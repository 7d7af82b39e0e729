// SPDX-License-Identifier: Apache-2.0

/// A value that any thread can read and observe.
final class ObservableValue<Value: Hashable & Sendable>: Sendable {
    private enum Shown {
        case value(Value)
        /// A value that is made when it is read for the first time.
        case unmade(@Sendable () -> Value)
    }

    private let shown: Locked<Shown>
    private let hub = Hub<Value>()

    init(_ value: Value) {
        shown = Locked(.value(value))
    }

    var value: Value {
        shown.change { shown in
            switch shown {
            case .value(let value): return value
            case .unmade(let make):
                let value = make()
                shown = .value(value)
                return value
            }
        }
    }

    func events() -> Events<Value> {
        hub.events { [self.value] }
    }

    func show(_ value: Value) {
        guard value != self.value else { return }
        hub.send {
            shown.change { $0 = .value(value) }
            return value
        }
    }

    /// Shows a value that takes time to make. Without subscribers, the value is made only when it
    /// is read.
    ///
    /// - Parameter make: Makes the value, on any thread. It must not use this object.
    func show(making make: @escaping @Sendable () -> Value) {
        let isShown = hub.performWithoutSubscribers { shown.change { $0 = .unmade(make) } }
        if !isShown { show(make()) }
    }

    func end() { hub.end() }
}
