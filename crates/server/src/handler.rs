//! MCP's requests, answered from the table of verbs.

use crate::calls::Calls;
use crate::idle::{self, Busy};
use crate::place::{self, Place};
use crate::{Door, tools};
use brainstem_api::caller::{object_of, take_agent_id};
use brainstem_api::instructions::INSTRUCTIONS;
use brainstem_api::wire::error_document;
use brainstem_api::{Context, Doors, Entry, Offers, VerbSpec, verbs};
use brainstem_base::{Fault, codes};
use brainstem_memory::{Session, masked};
use rmcp::ErrorData;
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestMethod, CallToolRequestParams, CallToolResponse, CallToolResult, ConstString,
    CustomRequest, CustomResult, Implementation, InitializeRequestParams, InitializeResult, ListToolsResult,
    PaginatedRequestParams, ProtocolVersion, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::Value;
use std::sync::Arc;

/// One connection.
#[derive(Clone)]
pub(crate) struct Handler {
    door: Door,
    entries: Vec<&'static Entry>,
    tools: Vec<Tool>,
    session: Arc<Session>,
    calls: Arc<Calls>,
    busy: Option<Busy>,
}

impl Handler {
    pub(crate) fn new(door: Door, table: &'static [Entry], calls: Arc<Calls>) -> Self {
        let busy = door.settle.clone().map(|settle| idle::start(door.memory.clone(), settle));
        Self { busy, ..Self::shared(door, table, calls) }
    }

    /// The offer of a door whose connections are its siblings.
    pub(crate) fn shared(door: Door, table: &'static [Entry], calls: Arc<Calls>) -> Self {
        let is_offered = |spec: &VerbSpec| spec.doors.has_tool() && door.toolsets.contains(&spec.toolset);
        let entries: Vec<_> = table.iter().filter(|entry| is_offered(entry.spec())).collect();
        let tools = tools::list(&entries);
        Self { door, entries, tools, session: Arc::default(), calls, busy: None }
    }

    /// Tells this one when calls were answered.
    pub(crate) fn telling(self, busy: Option<Busy>) -> Self {
        Self { busy, ..self }
    }

    /// The same offer for another connection.
    pub(crate) fn sibling(&self, calls: Calls) -> Self {
        Self { session: Arc::default(), calls: Arc::new(calls), ..self.clone() }
    }

    /// Runs a verb; whatever goes wrong with a known tool is told in band, where the model sees it.
    async fn call(
        &self,
        name: &str,
        arguments: Value,
        request: &RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ErrorData> {
        let entry = self.find(name).map_err(|fault| {
            let fault = masked(&fault);
            ErrorData::invalid_params(fault.message.clone(), Some(error_document(&fault)))
        })?;
        // The text is the same JSON: agents whose client hides structured content parse it, and it
        // costs fewer tokens than a page laid out for people.
        Ok(match self.answer(entry, arguments, request).await {
            Ok(answer) => CallToolResult::structured(answer),
            Err(fault) => CallToolResult::structured_error(error_document(&fault)),
        })
    }

    async fn answer(
        &self,
        entry: &'static Entry,
        arguments: Value,
        request: &RequestContext<RoleServer>,
    ) -> Result<Value, Fault> {
        let mut arguments = object_of(arguments)?;
        let Place { mut declared, roots, session } = place::of(&self.door, &self.session, request)?;
        declared.argument = take_agent_id(&mut arguments)?.or(declared.argument);
        declared.client = request.client_info().map(|client| client.name);
        let cx = Context {
            memory: self.door.memory.clone(),
            declared,
            roots,
            program: self.door.program.clone(),
            session,
            offers: Offers::default(),
        };
        let answer = self.calls.run(entry, arguments, cx).await;
        if let Some(busy) = &self.busy {
            busy.answered();
        }
        answer
    }

    fn find(&self, name: &str) -> Result<&'static Entry, Fault> {
        if let Some(entry) = self.entries.iter().copied().find(|entry| entry.spec().id == name) {
            return Ok(entry);
        }
        let shown: String = name.chars().take(80).collect();
        let unknown = Fault::new(codes::INPUT_UNKNOWN_VERB, format!("there is no tool {shown:?}"));
        Err(match verbs::find(name).map(Entry::spec) {
            Some(VerbSpec { doors: Doors::CommandLine { why }, cli, .. }) => {
                unknown.fix(format!("use the command line, `brainstem {}`: {why}", cli.join(" ")))
            }
            Some(VerbSpec { doors: Doors::All, toolset, .. }) => {
                unknown.fix(format!("start the server with --toolsets {}, which has it", toolset.as_str()))
            }
            None => unknown.fix("use a name of tools/list"),
        })
    }
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        let program = Implementation::new("brainstem", env!("CARGO_PKG_VERSION")).with_title("Brainstem");
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(program)
            .with_instructions(INSTRUCTIONS)
    }

    /// Binds the session to the place the client says it stands in, for a door that has no place of its own.
    async fn initialize(
        &self,
        params: InitializeRequestParams,
        request: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        place::bind(&self.session, &request).map_err(|fault| {
            ErrorData::invalid_params(fault.message.clone(), Some(error_document(&fault)))
        })?;
        request.peer.set_peer_info(params.clone());
        self.negotiate_initialize(&params)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.tools.clone()))
    }

    async fn call_tool(
        &self,
        params: CallToolRequestParams,
        request: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = params.arguments.map_or(Value::Null, Value::Object);
        self.call(&params.name, arguments, &request).await.map(Into::into)
    }

    /// Takes the calls whose arguments are no object, which rmcp does not know as calls: some clients
    /// send the whole object as JSON text (IF-7).
    async fn on_custom_request(
        &self,
        custom: CustomRequest,
        request: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let params = custom.params.unwrap_or_default();
        let name = params.get("name").and_then(Value::as_str);
        match (custom.method == CallToolRequestMethod::VALUE, name) {
            (false, _) => Err(ErrorData::new(rmcp::model::ErrorCode::METHOD_NOT_FOUND, custom.method, None)),
            (true, None) => Err(ErrorData::invalid_params("tools/call needs the name of a tool", None)),
            (true, Some(name)) => {
                let arguments = params.get("arguments").cloned().unwrap_or_default();
                let mut result = self.call(name, arguments, &request).await?;
                // rmcp adapts the results it knows to the client's version; this one we adapt.
                if request.protocol_version().is_none_or(|version| version < ProtocolVersion::V_2026_07_28) {
                    result.result_type = None;
                }
                let result = serde_json::to_value(result)
                    .map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
                Ok(CustomResult::new(result))
            }
        }
    }
}
