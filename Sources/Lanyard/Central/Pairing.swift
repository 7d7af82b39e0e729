// SPDX-License-Identifier: Apache-2.0

/// A pairing in progress, which a screen can show and cancel.
///
/// ```swift
/// let pairing = try central.pairing(strap, with: device)
/// for await change in pairing.changes {
///     bar.progress = change.state.progress
///     label.text = "\(change.reason)"
/// }
/// let accessory = try await pairing.accessory()
/// ```
///
/// The pairing begins with its creation. It ends when the accessory is ready, when it fails, when
/// ``cancel()`` is called, and when the app releases it.
///
/// All members can be called on any thread and from any task.
public final class Pairing: Sendable {
    /// The description of the accessory that is being paired.
    public let description: AccessoryDescription

    private let record: PairingRecord
    private let task: Task<Result<Accessory, AccessoryError>, Never>

    init(
        _ description: AccessoryDescription,
        with target: PairingTarget?,
        by lifetime: CentralLifetime
    ) {
        self.description = description
        let record = PairingRecord(name: target?.name)
        self.record = record
        task = Task {
            let result: Result<Accessory, AccessoryError>
            do throws(AccessoryError) {
                result = .success(try await lifetime.pair(description, with: target, for: record))
            } catch {
                result = .failure(error)
            }
            record.end(with: result)
            return result
        }
    }

    deinit { task.cancel() }

    /// The name of the device; `nil` until a device was found and its name is known.
    public var name: String? { record.name }

    /// The current state and the reason for it.
    public var latestChange: AccessoryChange { record.latestChange }

    /// All changes of the state, beginning with the current one. The sequence ends with the
    /// pairing.
    ///
    /// The usual states are `restoring`, `scanning`, `connecting`, `discoveringServices`,
    /// `discoveringCharacteristics`, `subscribing`, `connected` (if the accessory must be paired)
    /// and `ready`. After a failed attempt `connecting` follows again, with the reason.
    public var changes: Events<AccessoryChange> { record.events() }

    /// The result; `nil` as long as the pairing is in progress.
    public var result: Result<Accessory, AccessoryError>? { record.result }

    /// Waits for the end of the pairing. Canceling the waiting task cancels the pairing.
    ///
    /// - Returns: The accessory, as `AccessoryCentral.pair(_:)` returns it or, for a chosen device,
    ///   `AccessoryCentral.pair(_:with:)`.
    /// - Throws: The errors of that method, and ``AccessoryError/cancelled`` after ``cancel()``.
    public func accessory() async throws(AccessoryError) -> Accessory {
        let result = await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        return try result.get()
    }

    /// Cancels the pairing. The central then does not keep the accessory, unless the pairing has
    /// already succeeded.
    public func cancel() {
        task.cancel()
    }
}

/// The state of a pairing, which its task writes and its observers read.
final class PairingRecord: Sendable {
    private struct Shown {
        var change = AccessoryChange(.idle, .resting(.neverPaired))
        var name: String?
        var snapshot: AccessorySnapshot?
        var result: Result<Accessory, AccessoryError>?
    }

    private let shown: Locked<Shown>
    private let hub = Hub<AccessoryChange>()

    init(name: String?) {
        shown = Locked(Shown(name: name))
    }

    var name: String? { shown.change { $0.snapshot?.name ?? $0.name } }
    var latestChange: AccessoryChange { shown.change { $0.change } }
    var result: Result<Accessory, AccessoryError>? { shown.change { $0.result } }

    func events() -> Events<AccessoryChange> {
        hub.events { [self.latestChange] }
    }

    /// Shows a change of the accessory that is being paired.
    func show(_ change: AccessoryChange, of snapshot: AccessorySnapshot) {
        hub.send {
            shown.change {
                $0.change = change
                $0.snapshot = snapshot
            }
            return change
        }
    }

    func end(with result: Result<Accessory, AccessoryError>) {
        shown.change { $0.result = result }
        hub.end()
    }
}

extension AccessoryState {
    /// The approximate part of the way to ``ready`` that is complete, from 0 to 1, for a progress
    /// bar. It can decrease when an attempt fails and the next one begins.
    public var progress: Double {
        switch self {
        case .waitingForBluetooth, .poweredOff, .unauthorized, .unsupported, .idle, .disconnecting:
            0
        case .restoring, .scanning: 0.1
        case .connecting, .outOfRange: 0.3
        case .discoveringServices: 0.5
        case .discoveringCharacteristics: 0.6
        case .subscribing: 0.7
        case .connected: 0.8
        case .ready: 1
        }
    }
}
