// SPDX-License-Identifier: Apache-2.0

import Foundation
import GatewayProtocol

/// The folder of a gateway or a host, with files that only its owner can read.
///
/// It contains the credentials of this side, and certificates of the other side. A gateway's folder
/// may also contain the record of an enrollment code. Bonds stay with the host's own store.
struct StateFolder: Sendable {
    /// A message to the person who runs the program.
    struct Failure: Error, CustomStringConvertible {
        let description: String

        init(_ description: String) { self.description = description }
    }

    /// The environment variable in which systemd passes the folder of a unit.
    private static let unitVariable = "STATE_DIRECTORY"
    /// The maximum length in bytes of a file that is read.
    private static let fileLimit = 64 << 10
    /// The maximum number of certificates in a folder.
    static let certificateLimit = 256

    let path: String

    /// Opens a folder, and makes it if it does not exist.
    ///
    /// - Parameter path: The folder; `nil` for the default one.
    init(
        _ path: String?,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws {
        self.path = try path ?? Self.defaultPath(environment)
        do {
            try FileManager.default.createDirectory(
                atPath: self.path,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
        } catch {
            throw Failure("the folder \(self.path) cannot be made; give --state another one")
        }
    }

    private static func defaultPath(_ environment: [String: String]) throws -> String {
        func value(_ name: String) -> String? {
            environment[name].flatMap { $0.isEmpty ? nil : $0 }
        }
        if let folder = value(unitVariable) { return folder }
        if let folder = value("XDG_STATE_HOME") { return folder + "/lanyard-gateway" }
        guard let home = value("HOME") else {
            throw Failure("there is no home directory; give --state a folder")
        }
        return home + "/.local/state/lanyard-gateway"
    }

    func folder(_ name: String) throws -> StateFolder { try StateFolder("\(path)/\(name)") }

    /// Returns the contents of a file; `nil` if it cannot be read or is too long.
    func read(_ name: String) -> Data? {
        guard let file = FileHandle(forReadingAtPath: "\(path)/\(name)") else { return nil }
        defer { try? file.close() }
        guard let data = try? file.read(upToCount: Self.fileLimit + 1),
            data.count <= Self.fileLimit
        else { return nil }
        return data
    }

    /// Replaces a file atomically.
    func write(_ data: Data, _ name: String) throws {
        let temporary = "\(path)/.\(name).\(ProcessInfo.processInfo.processIdentifier)"
        unlink(temporary)
        let descriptor = open(temporary, O_CREAT | O_WRONLY | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Failure("\(path) cannot be written to") }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        do {
            try file.write(contentsOf: data)
            try file.synchronize()
            try file.close()
        } catch {
            unlink(temporary)
            throw Failure("\(path)/\(name) cannot be written; check the free space")
        }
        guard rename(temporary, "\(path)/\(name)") == 0 else {
            unlink(temporary)
            throw Failure("\(path)/\(name) cannot be written; check the free space")
        }
    }

    /// Removes a file. Returns whether it existed: of several callers, only one gets `true`.
    @discardableResult
    func remove(_ name: String) -> Bool { unlink("\(path)/\(name)") == 0 }

    /// The names of the files, sorted.
    var names: [String] {
        let all = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return all.filter { !$0.hasPrefix(".") }.sorted()
    }
}

/// The certificates of the other side, by name.
struct TrustedCertificates: Sendable {
    private static let suffix = ".der"

    let folder: StateFolder

    /// Returns the name under which a certificate is known; `nil` if it is not.
    func name(of certificate: [UInt8]) -> String? {
        names.first { self.certificate(of: $0) == certificate }
    }

    /// Returns the certificate that is known by a name.
    func certificate(of name: String) -> [UInt8]? {
        folder.read(name + Self.suffix).map { Array($0) }
    }

    /// The names, sorted.
    var names: [String] {
        folder.names.filter { $0.hasSuffix(Self.suffix) }.map {
            String($0.dropLast(Self.suffix.count))
        }
    }

    /// Stores a certificate, in place of an earlier one of the same name.
    func add(_ certificate: [UInt8], as name: String) throws {
        guard names.count < StateFolder.certificateLimit || self.certificate(of: name) != nil else {
            throw StateFolder.Failure(
                "\(folder.path) has \(StateFolder.certificateLimit) certificates already; remove one"
            )
        }
        try folder.write(Data(certificate), name + Self.suffix)
    }

    /// Removes a certificate. Returns whether it existed.
    func remove(_ name: String) -> Bool { folder.remove(name + Self.suffix) }
}
