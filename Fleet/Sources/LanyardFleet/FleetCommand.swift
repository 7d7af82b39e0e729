// SPDX-License-Identifier: Apache-2.0

import Foundation
import JSONText
import Lanyard

struct FleetCommand: Hashable, Sendable {
    /// The maximum size of a command's payload in bytes. A value has at most 512 bytes
    /// (Vol 3, Part F, 3.2.9), which are 684 in base64.
    static let payloadLimit = 4_096
    /// The maximum size of a value in bytes.
    static let valueLimit = 512
    /// The expiry of a command that has none, in seconds.
    static let defaultExpiry = 30.0
    /// The longest expiry in seconds.
    static let expiryLimit = 3_600.0

    enum Operation: Hashable, Sendable {
        case connect
        case disconnect
        case read(CharacteristicPath)
        case write(CharacteristicPath, Data)
        case subscribe(CharacteristicPath)
        case unsubscribe(CharacteristicPath)
        case forget
    }

    var id: String
    var operation: Operation
    /// The time in seconds after which the command must not be executed; `nil` if it names none.
    var expiry: Double?

    /// Returns the id in a command, even if other members are malformed; `nil` if there is no valid
    /// id.
    static func id(in payload: [UInt8]) -> String? {
        guard payload.count <= payloadLimit, let json = try? JSON(parsing: payload),
            let id = json.members?["id"]?.text, FleetTopics.isLevel(id)
        else { return nil }
        return id
    }

    /// Reads a command for an accessory.
    ///
    /// - Throws: The problem to answer with.
    init(parsing payload: [UInt8], for accessory: FleetAccessory) throws(FleetProblem) {
        guard payload.count <= Self.payloadLimit else {
            throw .malformed("The command has more than \(Self.payloadLimit) bytes.")
        }
        let json: JSON
        do throws(JSONTextError) {
            json = try JSON(parsing: payload)
        } catch {
            throw .malformed("The command is not JSON: \(error.problem).")
        }
        let members: JSONMembers
        let word: String
        do throws(JSONError) {
            members = try JSONNode(value: json, place: "")
                .members("id", "operation", "serviceID", "characteristicID", "value", "expiry")
            id = try members.require("id").text
            word = try members.require("operation").text
            expiry = try members["expiry"]?.number(in: 0...Self.expiryLimit)
        } catch {
            throw .malformed("\(error)")
        }
        guard FleetTopics.isLevel(id) else {
            throw .malformed("id: 1 to 64 letters, digits, '-' and '_' should be here")
        }
        operation = try Self.operation(word, members, accessory)
    }

    private static func operation(
        _ word: String,
        _ members: JSONMembers,
        _ accessory: FleetAccessory
    ) throws(FleetProblem) -> Operation {
        switch word {
        case "connect": return .connect
        case "disconnect": return .disconnect
        case "forget": return .forget
        case "read":
            let target = try characteristic(members, accessory)
            guard target.roles.contains(.read) else {
                throw .refused("property-not-readable", "Property not readable", "read")
            }
            return .read(target.path)
        case "write":
            let target = try characteristic(members, accessory)
            guard target.roles.contains(.write) else {
                throw .refused("property-not-writable", "Property not writable", "write")
            }
            return .write(target.path, try value(members))
        case "subscribe", "unsubscribe":
            let target = try characteristic(members, accessory)
            guard target.roles.contains(.subscribe) else {
                throw .refused("event-not-registered", "Event not registered", "subscribe")
            }
            return word == "subscribe" ? .subscribe(target.path) : .unsubscribe(target.path)
        default:
            throw .malformed(
                "operation: connect, disconnect, read, write, subscribe, unsubscribe or forget "
                    + "should be here"
            )
        }
    }

    private static func characteristic(
        _ members: JSONMembers,
        _ accessory: FleetAccessory
    ) throws(FleetProblem) -> FleetCharacteristic {
        let characteristic = try uuid("characteristicID", members)
        let service = try uuid("serviceID", members)
        guard let characteristic else {
            throw .malformed("the key \"characteristicID\" is missing")
        }
        guard let target = accessory.characteristic(characteristic, of: service) else {
            throw .unknownCharacteristic("The accessory's description lacks \(characteristic).")
        }
        return target
    }

    private static func uuid(
        _ key: String,
        _ members: JSONMembers
    ) throws(FleetProblem) -> BluetoothID? {
        guard let node = members[key] else { return nil }
        guard let text = node.value.text, let id = BluetoothID(text) else {
            throw .malformed("\(key): a UUID should be here")
        }
        return id
    }

    private static func value(_ members: JSONMembers) throws(FleetProblem) -> Data {
        guard let text = members["value"]?.value.text, let value = Data(base64Encoded: text) else {
            throw .malformed("value: bytes in base64 should be here")
        }
        guard value.count <= valueLimit else {
            throw .malformed("value: at most \(valueLimit) bytes may be here")
        }
        return value
    }
}
