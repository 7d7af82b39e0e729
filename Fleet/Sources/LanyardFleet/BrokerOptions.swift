// SPDX-License-Identifier: Apache-2.0

/// The address of a broker, and everything that the connection to it needs.
struct BrokerOptions: Sendable {
    /// The versions of MQTT.
    enum Version: String, CaseIterable, Sendable {
        case v5 = "5"
        case v311 = "3.1.1"
    }

    var host: String
    var port: UInt16
    var version = Version.v5
    /// The file of the certificates of the authorities that may sign the broker's certificate;
    /// `nil` for a connection without TLS.
    var authority: String?
    /// The files of this host's certificate and key.
    var certificate: String?
    var key: String?
    var user: String?
    var password: String?
    /// The identifier of the session at the broker.
    var client: String
    /// The topic and the payload of the last will.
    var will: (topic: String, payload: String)
}

extension BrokerOptions {
    /// Creates the options of a host with these settings.
    init(_ settings: FleetSettings, will: (topic: String, payload: String)) {
        self.init(
            host: settings.broker.host,
            port: settings.broker.port,
            version: settings.version,
            authority: settings.authority,
            certificate: settings.certificate,
            key: settings.key,
            user: settings.user,
            password: settings.password,
            client: "lanyard-fleet-\(settings.name)",
            will: will
        )
    }
}
