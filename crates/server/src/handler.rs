//! MCP's requests, answered from the table of verbs.

use crate::calls::Calls;
use crate::idle::{self, Busy};
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
    CustomRequest, CustomResult, Implementation, ListToolsResult, PaginatedRequestParams, ProtocolVersion,
    ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::Value;
use std::sync::Arc;

/// One connection.
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
        let is_offered = |spec: &VerbSpec| spec.doors.has_tool() && door.toolsets.contains(&spec.toolset);
        let entries: Vec<_> = table.iter().filter(|entry| is_offered(entry.spec())).collect();
        let tools = tools::list(&entries);
        let busy = door.settle.clone().map(|settle| idle::start(door.memory.clone(), settle));
        Self { door, entries, tools, session: Arc::default(), calls, busy }
    }

    /// Runs a verb; whatever goes wrong with a known tool is told in band, where the model sees it.
    async fn call(
        &self,
        name: &str,
        arguments: Value,
        request: &RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ErrorData> {
        let entry = match self.find(name) {
            Ok(entry) => entry,
            // The model can do something about it, and sees what is told in band alone.
            Err(fault) if verbs::find(name).is_some() => {
                return Ok(CallToolResult::structured_error(error_document(&fault)));
            }
            Err(fault) => {
                let fault = masked(&fault);
                return Err(ErrorData::invalid_params(fault.message.clone(), Some(error_document(&fault))));
            }
        };
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
        let mut declared = self.door.declared.clone();
        declared.argument = take_agent_id(&mut arguments)?;
        declared.client = request.client_info().map(|client| client.name);
        let cx = Context {
            memory: self.door.memory.clone(),
            declared,
            roots: self.door.roots.clone(),
            program: self.door.program.clone(),
            session: Some(self.session.clone()),
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
        let unknown = |what: String| Fault::new(codes::INPUT_UNKNOWN_VERB, what).rule("IF-8");
        Err(match verbs::find(name).map(Entry::spec) {
            Some(VerbSpec { doors: Doors::CommandLine { why }, cli, .. }) => {
                unknown(format!("there is no tool {shown:?}: {why}"))
                    .fix(format!("use the command line, `brainstem {}`", cli.join(" ")))
            }
            Some(VerbSpec { doors: Doors::All, toolset, cli, .. }) => {
                let (set, command) = (toolset.as_str(), cli.join(" "));
                unknown(format!("the tool {shown:?} is in the set {set}, which this server does not offer"))
                    .fix(format!(
                        "run `brainstem {command}`, or have the server started with --toolsets default,{set}"
                    ))
            }
            None => unknown(format!("there is no tool {shown:?}")).fix("use a name of tools/list"),
        })
    }
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        let program = Implementation::new("brainstem", env!("CARGO_PKG_VERSION")).with_title("Brainstem");
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(program)
            .with_instructions(INSTRUCTIONS.as_str())
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
