// SPDX-License-Identifier: Apache-2.0

import Observation

/// An accessory for a screen: its name, its state, and advice for a person.
///
/// ```swift
/// let model = AccessoryModel(accessory)
/// print(model.status, model.advice ?? "")  // Not in range Bring it nearer, …
/// ```
///
/// A view that reads a property is updated when the property changes. The model follows the
/// accessory as long as the app holds the model, and keeps the accessory and its central running.
@MainActor @Observable
public final class AccessoryModel: Identifiable {
    /// The accessory.
    public nonisolated let accessory: Accessory
    /// The name that a person gave the accessory, or else the name of the device; `nil` as long as
    /// neither is known.
    public private(set) var name: String?
    /// The latest change of the state, with its reason.
    public private(set) var change: AccessoryChange
    @ObservationIgnored private var observations: [ObservationToken] = []

    /// Creates a model, which follows the accessory at once.
    ///
    /// - Parameter accessory: The accessory.
    public init(_ accessory: Accessory) {
        self.accessory = accessory
        name = accessory.name
        change = accessory.latestChange
        observations = [
            accessory.changes.forEach { @MainActor [weak self] change in self?.show(change) },
            accessory.nameChanges.forEach { @MainActor [weak self] _ in self?.showName() },
        ]
    }

    /// The identity of the accessory.
    public nonisolated var id: Accessory.ID { accessory.id }

    /// The state of the accessory.
    public var state: AccessoryState { change.state }

    /// Whether the accessory is ready.
    public var isReady: Bool { state == .ready }

    /// The state in a few words, for example `Connected`.
    public var status: String {
        if case .notPaired = change.reason { return state.label }
        return state == .connected ? "Pairing" : state.label
    }

    /// A suggestion of what a person can do so that the accessory is connected; `nil` if there is
    /// none.
    public var advice: String? { change.recoverySuggestion }

    /// Requests a connection; see ``Accessory/connect()``.
    public func connect() { accessory.connect() }

    /// Gives the accessory a name; see ``Accessory/rename(to:)``.
    ///
    /// - Parameter name: The name; an empty name or `nil` restores the name of the device.
    public func rename(to name: String?) {
        accessory.rename(to: name)
        showName()
    }

    /// Shows a change, unless a later one is shown.
    func show(_ change: AccessoryChange) {
        // An older change can wait in the sequence while a newer one is already shown.
        guard change.number >= self.change.number else { return }
        showName()
        if self.change != change { self.change = change }
    }

    private func showName() {
        if name != accessory.name { name = accessory.name }
    }
}

extension Accessory {
    /// All changes of the name, beginning with the current one.
    fileprivate var nameChanges: Events<String?> {
        snapshot.names.events { [self.name] }.keeping(lifetime)
    }
}

extension AccessoryState {
    /// The state in a few words, for a screen.
    ///
    /// The state `connected` does not show whether a pairing is in progress or has failed. For both,
    /// the label is `Not paired`. ``AccessoryModel/status`` uses the reason as well.
    public var label: String {
        switch self {
        case .waitingForBluetooth, .restoring: "Starting"
        case .poweredOff: "Bluetooth is off"
        case .unauthorized: "Bluetooth is not allowed"
        case .unsupported: "No Bluetooth"
        case .idle: "Not connected"
        case .scanning: "Searching"
        case .connecting, .discoveringServices, .discoveringCharacteristics, .subscribing:
            "Connecting"
        case .connected: "Not paired"
        case .ready: "Connected"
        case .outOfRange: "Not in range"
        case .disconnecting: "Disconnecting"
        }
    }
}
