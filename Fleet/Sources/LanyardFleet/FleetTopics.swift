// SPDX-License-Identifier: Apache-2.0

import Lanyard

/// The topics of a fleet (docs/FLEET.md).
struct FleetTopics: Sendable {
    /// The first level or levels of all topics.
    let prefix: String
    /// The name of this host.
    let host: String

    /// The topic of the retained state of this host, and of its last will.
    var hostStatus: String { "\(prefix)/hosts/\(host)/status" }

    /// Returns the topic of the retained state of a radio of this host, numbered from 1.
    func radio(_ number: Int) -> String { "\(prefix)/hosts/\(host)/radios/\(number)" }
    func presence(_ accessory: String) -> String { "\(prefix)/hosts/\(host)/presence/\(accessory)" }
    func lease(_ accessory: String) -> String { "\(prefix)/leases/\(accessory)" }
    func status(_ accessory: String) -> String { "\(prefix)/devices/\(accessory)/status" }
    func availability(_ accessory: String) -> String {
        "\(prefix)/devices/\(accessory)/availability"
    }
    func commands(_ accessory: String) -> String { "\(prefix)/devices/\(accessory)/commands" }
    func answers(_ accessory: String) -> String { "\(prefix)/devices/\(accessory)/answers" }

    func events(_ accessory: String, _ path: CharacteristicPath) -> String {
        "\(prefix)/devices/\(accessory)/events/\(path.service.text)/\(path.characteristic.text)"
    }

    /// The kind of a received message, and the accessory that it concerns.
    enum Received: Equatable {
        case lease(String)
        case command(String)
    }

    /// Returns the kind of a message by its topic; `nil` for a topic of neither kind.
    func received(_ topic: String) -> Received? {
        guard topic.hasPrefix(prefix + "/") else { return nil }
        let levels = topic.dropFirst(prefix.count + 1)
            .split(separator: "/", omittingEmptySubsequences: false)
        if levels.count == 2, levels[0] == "leases" { return .lease(String(levels[1])) }
        if levels.count == 3, levels[0] == "devices", levels[2] == "commands" {
            return .command(String(levels[1]))
        }
        return nil
    }

    /// Returns whether answers may be sent to a response topic of a command. Without this check, a
    /// command could make the host publish to topics that its sender may not use.
    func isResponse(_ topic: String) -> Bool {
        topic.hasPrefix("\(prefix)/answers/") && topic.utf8.count <= 256
            && !topic.contains { $0 == "+" || $0 == "#" || $0 == "\0" }
    }

    /// Returns whether a text is valid as a level of a fleet's topics: 1 to 64 ASCII letters,
    /// digits, hyphens and underscores.
    static func isLevel(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }
}
