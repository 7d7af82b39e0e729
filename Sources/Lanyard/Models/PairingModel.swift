// SPDX-License-Identifier: Apache-2.0

import Observation

/// A pairing in progress for a screen: its state in words, its progress, and its cancellation.
///
/// ```swift
/// if let pairing = model.pairing {  // model is a CentralModel
///     print(pairing.name ?? "", pairing.status, pairing.progress)  // Lamp Connecting 0.3
/// }
/// ```
///
/// A view that reads a property is updated when the property changes. ``CentralModel/pairing`` is
/// the model of the pairing that a `pair` method of the central's model runs. The model keeps the
/// pairing, which ends when the app releases both.
@MainActor @Observable
public final class PairingModel: Identifiable {
    /// The pairing.
    public nonisolated let pairing: Pairing
    /// The name of the device; `nil` until a device was found and its name is known.
    public private(set) var name: String?
    /// The latest change of the state, with its reason.
    public private(set) var change: AccessoryChange
    @ObservationIgnored private var observation: ObservationToken?

    /// Creates a model, which follows the pairing at once.
    ///
    /// - Parameter pairing: The pairing.
    public init(_ pairing: Pairing) {
        self.pairing = pairing
        name = pairing.name
        change = pairing.latestChange
        observation = pairing.changes.forEach { @MainActor [weak self] _ in self?.refresh() }
    }

    /// The approximate complete part of the pairing, from 0 to 1; see ``AccessoryState/progress``.
    public var progress: Double { change.state.progress }

    /// The state in a few words, for example `Searching`.
    public var status: String {
        switch change.state {
        case .idle: "Starting"
        case .connected: "Pairing"
        default: change.state.label
        }
    }

    /// A suggestion of what a person can do so that the pairing succeeds; `nil` if there is none.
    public var advice: String? { change.recoverySuggestion }

    /// Cancels the pairing; see ``Pairing/cancel()``.
    public func cancel() { pairing.cancel() }

    /// Shows the current state. The change that caused the call may have waited, and may be
    /// outdated.
    private func refresh() {
        if name != pairing.name { name = pairing.name }
        if change != pairing.latestChange { change = pairing.latestChange }
    }
}
