// SPDX-License-Identifier: Apache-2.0

import GRPCCore
import PandoraInterface
import SwiftProtobuf

// The procedures of BR/EDR, and the report of changed connection parameters, for which the host has
// no event.
extension HostService {
    func connect(
        request: Pandora_ConnectRequest,
        context: ServerContext
    ) async throws -> Pandora_ConnectResponse {
        throw RPCError.unsupported("BR/EDR")
    }

    func waitConnection(
        request: Pandora_WaitConnectionRequest,
        context: ServerContext
    ) async throws -> Pandora_WaitConnectionResponse {
        throw RPCError.unsupported("BR/EDR")
    }

    func inquiry(
        request: Google_Protobuf_Empty,
        response: RPCWriter<Pandora_InquiryResponse>,
        context: ServerContext
    ) async throws {
        throw RPCError.unsupported("BR/EDR")
    }

    func setDiscoverabilityMode(
        request: Pandora_SetDiscoverabilityModeRequest,
        context: ServerContext
    ) async throws -> Google_Protobuf_Empty {
        throw RPCError.unsupported("BR/EDR")
    }

    func setConnectabilityMode(
        request: Pandora_SetConnectabilityModeRequest,
        context: ServerContext
    ) async throws -> Google_Protobuf_Empty {
        throw RPCError.unsupported("BR/EDR")
    }

    func waitConnectionUpdate(
        request: Pandora_WaitConnectionUpdateRequest,
        context: ServerContext
    ) async throws -> Pandora_WaitConnectionUpdateResponse {
        throw RPCError.unsupported("a report of changed connection parameters")
    }
}
