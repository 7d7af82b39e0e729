// SPDX-License-Identifier: Apache-2.0

/// A property of an ``AccessoryProfile`` that declares a control point: a characteristic that
/// executes commands and answers them. An app executes them with
/// ``ControlPointProcedures/perform(_:timeout:)``.
///
/// ```swift
/// let records = ControlPoint<RecordAccessCommand>(in: "1808")
/// let control = ControlPoint<HeartRateControlPoint>(isRequired: false)
/// ```
///
/// If the accessory answers with indications, it is ready only after it has confirmed the
/// subscription.
public struct ControlPoint<Command: ControlPointCommand>: Sendable, CharacteristicUseProvider {
    let service: BluetoothID?
    let isRequired: Bool

    /// Declares a control point. The type of the command names the characteristic.
    ///
    /// - Parameters:
    ///   - service: The UUID of its service; `nil` for the main service of the profile.
    ///   - isRequired: Whether an accessory needs the control point to become ready. If it is not
    ///     required, its use throws ``ControlPointError/accessory(_:)`` with
    ///     ``AccessoryError/unknownCharacteristic(_:)`` on an accessory without it.
    public init(in service: BluetoothID? = nil, isRequired: Bool = true) {
        self.service = service
        self.isRequired = isRequired
    }

    func uses(in service: BluetoothID) -> [CharacteristicUse] {
        let path = CharacteristicPath(self.service ?? service, Command.identifier)
        let roles: [CharacteristicDescription.Role] =
            Command.isIndicated ? [.write, .subscribe] : [.write]
        return roles.map { CharacteristicUse(path: path, role: $0, isRequired: isRequired) }
    }
}

/// A control point of one accessory, as its profile declares it.
public struct ControlPointProcedures<Command: ControlPointCommand>: Sendable {
    let accessory: Accessory

    /// Executes a command, and waits for the answer; see ``Accessory/perform(_:timeout:)``.
    ///
    /// - Parameters:
    ///   - command: The command.
    ///   - timeout: The time limit of the answer, from the moment at which the command is written.
    /// - Returns: The result.
    /// - Throws: ``ControlPointError``.
    @discardableResult
    public func perform(
        _ command: Command,
        timeout: Duration = .seconds(30)
    ) async throws(ControlPointError<Command.Refusal>) -> Command.Answer {
        try await accessory.perform(command, timeout: timeout)
    }
}

extension ControlPointProcedures where Command == RecordAccessCommand {
    /// Counts records.
    ///
    /// - Parameters:
    ///   - selection: The records.
    ///   - timeout: The time limit of the answer.
    /// - Returns: The number of records.
    /// - Throws: ``ControlPointError``.
    public func count(
        _ selection: RecordSelection,
        timeout: Duration = .seconds(30)
    ) async throws(ControlPointError<RecordAccessCommand.Refusal>) -> Int {
        switch try await perform(.count(selection), timeout: timeout) {
        case .count(let count): return count
        case .done: throw .malformed(.invalid(field: "number of records"))
        }
    }
}

extension TypedAccessory {
    /// Returns the control point of a property.
    ///
    /// - Parameter property: The property of the profile.
    public subscript<Command>(
        dynamicMember property: KeyPath<Profile, ControlPoint<Command>>
    ) -> ControlPointProcedures<Command> {
        ControlPointProcedures(accessory: accessory)
    }
}
