// SPDX-License-Identifier: Apache-2.0

/// A value that any thread can read and observe.
final class ObservableValue<Value: Hashable & Sendable>: Sendable {
    private let shown: Locked<Value>
    private let hub = Hub<Value>()

    init(_ value: Value) {
        shown = Locked(value)
    }

    var value: Value { shown.change { $0 } }

    func events() -> Events<Value> {
        hub.events { [self.value] }
    }

    func show(_ value: Value) {
        guard value != self.value else { return }
        hub.send {
            shown.change { $0 = value }
            return value
        }
    }

    func end() { hub.end() }
}
