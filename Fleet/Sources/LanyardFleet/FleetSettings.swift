// SPDX-License-Identifier: Apache-2.0

import Configuration
import Foundation
import JSONText
import SystemPackage

/// The settings of a host, from the command line, the environment and a file (docs/FLEET.md).
struct FleetSettings: Sendable {
    /// The names of the settings, in the spelling of the options.
    enum Key: String, CaseIterable {
        case accessories, name, broker, authority, certificate, key, user, password, mqtt, prefix
        case state, adapter, metrics, spans
        case withoutTLS = "without-tls"
    }

    /// The maximum size of a file of settings in bytes.
    static let fileLimit = 64 << 10

    /// The file that describes the accessories.
    var accessories: String
    /// The name of this host.
    var name: String
    var broker: NetworkAddress
    /// The file of the certificates of the broker's authority; `nil` for no TLS.
    var authority: String?
    var certificate: String?
    var key: String?
    var user: String?
    var password: String?
    var version = BrokerOptions.Version.v5
    var prefix = "lanyard"
    /// The folder that contains the queue and the store of the accessories.
    var state: String
    var adapter: String?
    /// The address of the metrics; `nil` for none.
    var metrics: NetworkAddress?
    /// The file of the spans; `nil` for none.
    var spans: String?

    /// Reads the settings. The arguments take precedence over the environment, and both over the
    /// file.
    ///
    /// - Parameters:
    ///   - arguments: The settings of the command line.
    ///   - environment: The environment variables. The variable of a setting has the prefix
    ///     `LANYARD_FLEET_` and then the name in capital letters, with `_` in place of `-`.
    ///   - file: The path of a JSON file; `nil` for none.
    /// - Throws: `SettingsError` if a setting is missing or malformed.
    init(
        arguments: [Key: String],
        environment: [String: String],
        file: String?
    ) async throws(SettingsError) {
        let values = arguments.map { key, value -> (AbsoluteConfigKey, ConfigValue) in
            let content: ConfigContent =
                key == .withoutTLS ? .bool(value == "true") : .string(value)
            return (AbsoluteConfigKey([key.rawValue]), ConfigValue(content, isSecret: false))
        }
        var providers: [any ConfigProvider] = [
            InMemoryProvider(
                name: "arguments",
                values: Dictionary(uniqueKeysWithValues: values)
            ),
            EnvironmentVariablesProvider(
                environmentVariables: environment,
                secretsSpecifier: .specific(["LANYARD_FLEET_PASSWORD"])
            ).prefixKeys(with: "lanyard.fleet"),
        ]
        if let file { providers.append(try await Self.provider(of: file)) }
        let reader = ConfigReader(providers: providers)
        var found: [Key: String] = [:]
        for key in Key.allCases where key != .withoutTLS {
            found[key] = try await reader.text(key)
        }
        let isWithoutTLS = try await reader.flag(.withoutTLS)
        try self.init(found, isWithoutTLS: isWithoutTLS)
    }

    private init(_ found: [Key: String], isWithoutTLS: Bool) throws(SettingsError) {
        func require(_ key: Key) throws(SettingsError) -> String {
            guard let text = found[key] else { throw SettingsError.missing(key) }
            return text
        }
        accessories = try require(.accessories)
        name = try require(.name)
        guard FleetTopics.isLevel(name) else {
            let rule = "use 1 to 64 letters, digits, '-' and '_'"
            throw SettingsError(description: "'\(name)' is not a valid name: \(rule).")
        }
        broker = try NetworkAddress(try require(.broker))
        (authority, certificate, key) = (found[.authority], found[.certificate], found[.key])
        guard isWithoutTLS != (authority != nil) else {
            throw SettingsError(description: "Use either authority or without-tls.")
        }
        guard (certificate == nil) == (key == nil) else {
            throw SettingsError(description: "Use certificate and key together.")
        }
        (user, password, spans) = (found[.user], found[.password], found[.spans])
        if let text = found[.mqtt] {
            guard let version = BrokerOptions.Version(rawValue: text) else {
                throw SettingsError(
                    description: "'\(text)' is not a version of MQTT: use 5 or 3.1.1."
                )
            }
            self.version = version
        }
        if let prefix = found[.prefix] { self.prefix = prefix }
        let levels = prefix.split(separator: "/", omittingEmptySubsequences: false)
        guard levels.allSatisfy({ FleetTopics.isLevel(String($0)) }) else {
            let rule = "use letters, digits, '-' and '_', with '/' between the levels"
            throw SettingsError(description: "'\(prefix)' is not a valid topic: \(rule).")
        }
        state = try require(.state)
        adapter = found[.adapter]
        if let text = found[.metrics] { metrics = try NetworkAddress(text) }
    }

    /// Reads a file, whose keys must all be known.
    private static func provider(of file: String) async throws(SettingsError) -> any ConfigProvider
    {
        do {
            let data = try Data(contentsOf: URL(fileURLWithPath: file))
            guard data.count <= fileLimit else {
                throw SettingsError(description: "it has more than \(fileLimit) bytes")
            }
            let node = JSONNode(value: try JSON(parsing: data), place: "")
            _ = try node.members(of: Key.allCases.map(\.rawValue))
            return try await FileProvider<JSONSnapshot>(filePath: FilePath(file))
        } catch {
            throw SettingsError(description: "Cannot read the settings in \(file): \(error)")
        }
    }
}

extension ConfigReader {
    fileprivate func text(_ key: FleetSettings.Key) async throws(SettingsError) -> String? {
        do {
            return try await fetchString(
                forKey: ConfigKey([key.rawValue]),
                isSecret: key == .password
            )
        } catch {
            throw SettingsError(description: "\(key.rawValue): a text should be here.")
        }
    }

    fileprivate func flag(_ key: FleetSettings.Key) async throws(SettingsError) -> Bool {
        do {
            return try await fetchBool(forKey: ConfigKey([key.rawValue])) ?? false
        } catch {
            throw SettingsError(description: "\(key.rawValue): true or false should be here.")
        }
    }
}

/// A host and a port.
struct NetworkAddress: Hashable, Sendable {
    var host: String
    var port: UInt16

    /// Reads `HOST:PORT`.
    ///
    /// - Throws: `SettingsError` if the text has another form.
    init(_ text: String) throws(SettingsError) {
        guard let colon = text.lastIndex(of: ":"), colon != text.startIndex,
            let port = UInt16(text[text.index(after: colon)...])
        else { throw SettingsError(description: "'\(text)' is not an address: use HOST:PORT.") }
        (host, self.port) = (String(text[..<colon]), port)
    }
}

/// A setting that is missing or malformed.
struct SettingsError: Error, Hashable, CustomStringConvertible {
    let description: String

    static func missing(_ key: FleetSettings.Key) -> Self {
        let variable = "LANYARD_FLEET_\(key.rawValue.uppercased())"
        return Self(
            description: "The setting \(key.rawValue) is missing: give it as an argument, in "
                + "\(variable), or in the file of --settings."
        )
    }
}
